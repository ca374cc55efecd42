import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { cuecard } from '../support/tools/command-line.ts'
import { blocksOf } from '../support/tools/guide-blocks.ts'
import { commonFolder, savedAs } from '../support/tools/guide-folder.ts'

const stand = useStand()
const gateway = useGateway(stand)
const root = join(import.meta.dirname, '../..')
const directory = await mkdtemp(join(tmpdir(), 'cuecard-sync-'))
afterAll(() => rm(directory, { recursive: true }))

const write = async (root: string, files: Record<string, string | Buffer>) => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** A folder, its agent, and the command with the agent's key and without a database. */
async function shop(files: Record<string, string | Buffer>) {
  const tenant = await stand.tenant()
  const root = await mkdtemp(join(directory, 'shop-'))
  await write(root, files)
  const sync = async (args: string[] = [], { origin = gateway.origin, signal }: Partial<Circumstances> = {}) => {
    const env = { BASE_URL: origin, API_KEY: tenant.apiKey }
    return await cuecard(['sync', root, '--agent', tenant.agentId, ...args], { env, ...(signal && { signal }) })
  }
  const summary = async (...args: string[]) => JSON.parse((await sync([...args, '--json'])).stdout)
  return { tenant, root, sync, summary, list: () => list(tenant) }
}
interface Circumstances {
  origin: string
  signal: AbortSignal
}

async function list({ call, knowledgeBase }: Tenant) {
  const { body } = await call('GET', `${knowledgeBase}?limit=100`)
  return Object.fromEntries(body.data.map((document: { external_id: string }) => [document.external_id, document]))
}

/** A gateway to the same API that asks `intercept` for an answer first. */
const gatewayBefore = (intercept: (http: { method: string; path: string }) => unknown) =>
  startGateway({
    port: 0,
    routes: stand.functions.routes.map((route) => ({
      ...route,
      handler: async (event, context) => intercept(event.requestContext.http) ?? (await route.handler(event, context)),
    })),
  })

const counts = (more: object) => ({ created: 0, updated: 0, deleted: 0, unchanged: 0, failed: 0, ...more })

describe('sync', () => {
  test('makes documents of Markdown, text, CSV and HTML, with front matter, as they would be made of files', async () => {
    const front = 'title: Öffnungszeiten\nlocation: walthamstow\ntags: [a, 1]\nvalid_until: 2099-01-01T00:00:00+01:00'
    const { sync, list } = await shop({
      'hours.md': `---\r\n${front}\r\n---\n# Hours\n\nClosed on Sunday.`,
      'a b/100% ü?.txt': Buffer.from('Caf\xe9 au lait.', 'latin1'),
      'prices.csv': 'item;price\nBell;8\nSaddle;40\n',
      'web/index.html':
        '<html><head><title>About us</title></head><body><nav>Home</nav><p>We mend bikes.</p></body></html>',
      'rule.md': '---\nA line of hyphens is no front matter.\n---\nIndeed.',
    })
    const { code, stdout, stderr } = await sync()
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^created +5\n/), ''])
    const documents = await list()
    expect(Object.keys(documents).toSorted()).toEqual(
      ['a b/100% ü?.txt', 'hours.md', 'prices.csv', 'rule.md', 'web/index.html'].map((path) => `files/${path}`),
    )
    expect(documents['files/hours.md']).toMatchObject({
      title: 'Öffnungszeiten',
      content: '# Hours\n\nClosed on Sunday.',
      metadata: { location: 'walthamstow', tags: ['a', 1] },
      valid_until: '2098-12-31T23:00:00.000Z',
    })
    expect(documents['files/a b/100% ü?.txt']).toMatchObject({ title: '100% ü?', content: 'Café au lait.' })
    expect(documents['files/prices.csv'].content).toMatch(/\| *item *\| *price *\|/)
    expect(documents['files/web/index.html']).toMatchObject({ title: 'About us' })
    expect(documents['files/web/index.html'].content).toContain('We mend bikes.')
    expect(documents['files/rule.md'].content).toContain('no front matter')
  })

  test('changes and deletes only documents that differ, and touches none of another prefix', async () => {
    const { tenant, root, sync, summary, list } = await shop({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd/e.md': 'E' })
    const other = { title: 'Other', content: 'Other.', external_id: 'other/a.md' }
    await tenant.call('POST', tenant.knowledgeBase, other)
    await tenant.call('POST', tenant.knowledgeBase, { ...other, external_id: 'files/of-a-program' })
    expect(await summary()).toEqual(counts({ created: 4 }))
    const before = await list()
    expect(await summary()).toEqual(counts({ unchanged: 4 }))
    expect(await list()).toEqual(before)

    await write(root, { 'b.md': 'B2', 'f.md': 'F' })
    await rm(join(root, 'd'), { recursive: true })
    const dry = await sync(['--dry-run', '--json'])
    expect(JSON.parse(dry.stdout).data).toEqual([
      { change: 'create', external_id: 'files/f.md', title: 'f' },
      { change: 'update', external_id: 'files/b.md', title: 'b' },
      { change: 'delete', external_id: 'files/d/e.md', title: null },
    ])
    expect(await list()).toEqual(before)
    expect(await summary()).toEqual(counts({ created: 1, updated: 1, deleted: 1, unchanged: 2 }))
    const { 'files/a.md': a, 'files/b.md': b, ...rest } = await list()
    expect([a, b.content]).toEqual([before['files/a.md'], 'B2'])
    expect(Object.keys(rest).toSorted()).toEqual(['files/c.md', 'files/f.md', 'files/of-a-program', 'other/a.md'])
  })

  test('of several folders uses one agent, with a prefix for each', async () => {
    const [one, two] = [await shop({ 'a.md': 'A' }), await mkdtemp(join(directory, 'two-'))]
    await write(two, { 'a.md': 'Two' })
    const env = { BASE_URL: gateway.origin, API_KEY: one.tenant.apiKey }
    await one.sync(['--prefix', 'one/'])
    await cuecard(['sync', two, '--agent', one.tenant.agentId, '--prefix', 'two/'], { env })
    expect(await one.summary('--prefix', 'one/')).toEqual(counts({ unchanged: 1 }))
    expect(Object.keys(await one.list()).toSorted()).toEqual(['one/a.md', 'two/a.md'])
  })

  test('that would delete more than a third changes nothing without --yes', async () => {
    const { root, sync, summary, list } = await shop({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' })
    await sync()
    await Promise.all(['a.md', 'b.md'].map((path) => rm(join(root, path))))
    await write(root, { 'new.md': 'New' })
    const { code, stdout, stderr } = await sync()
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('2 of 4 documents would be deleted')])
    expect(Object.keys(await list())).toHaveLength(4)
    expect(await summary('--yes')).toEqual(counts({ created: 1, deleted: 2, unchanged: 2 }))
  })

  test('names files that it leaves out or that fail; after a failure it exits with 1 and deletes nothing', async () => {
    const { root, sync, list } = await shop({ 'good.md': 'Good.', 'gone.md': 'Gone.', 'b.md': 'B', 'c.md': 'C' })
    await sync()
    await rm(join(root, 'gone.md'))
    await write(root, {
      'empty.md': '',
      'binary.txt': Buffer.from('\x1f\x8b\x08 packed', 'latin1'),
      'Good.md': 'Other.',
      'yaml.md': '---\ntitle: [\n---\nText',
      'dates.md': '---\nvalid_from: 2026-12-24\n---\nText',
      'large.txt': 'x'.repeat(4 * 2 ** 20 + 1),
      '.git/config.txt': 'hidden',
      'logo.svg': '<svg/>',
    })
    await symlink(join(root, 'good.md'), join(root, 'link.md'))
    const { code, stderr, stdout } = await sync(['--json'])
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'error: binary.txt: This is an archive of files (such as .zip)',
      'error: dates.md: valid_from must be a time as in RFC 3339, such as 2026-03-02T08:15:30Z or 2026-03-02T09:15:30+01:00',
      'error: empty.md: The file is empty',
      'error: good.md: its name differs from that of Good.md only in case: rename one of them',
      'error: large.txt: The file contains more than 4 MiB of text',
      expect.stringMatching(/^error: yaml.md: its front matter is not valid YAML: .+[a-z\]]$/),
      'left out, as it is a link: link.md',
      'left out, as it is hidden: .git',
      'left out, as only Markdown, text, CSV and HTML are synchronised: logo.svg',
      'not deleted, as others failed: files/gone.md',
    ])
    expect([code, JSON.parse(stdout)]).toEqual([1, counts({ unchanged: 2, updated: 0, created: 1, failed: 6 })])
    expect(Object.keys(await list())).toContain('files/gone.md')
  })

  test('names an unchanged document with failed processing, and exits with 1', async () => {
    const { sync, root } = await shop({ 'hours.md': 'Closed on Sunday.' })
    await sync()
    await sql`update documents set status = 'error', error_message = 'It is too long.' where content = 'Closed on Sunday.'`.execute(
      stand.db,
    )
    await write(root, { 'more.md': 'Open on Monday.' })
    const { code, stderr } = await sync()
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: hours.md: It is too long.\n' })
  })

  test('that is interrupted continues in the next run', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.md`, `Text ${i}.`]))
    const { sync, summary } = await shop(files)
    const controller = new AbortController()
    let puts = 0
    const counting = await gatewayBefore(({ method }) => {
      if (method === 'PUT' && ++puts === 10) controller.abort()
    })
    const { code, stderr } = await sync([], { origin: counting.origin, signal: controller.signal })
    await counting.close()
    expect([code, stderr]).toEqual([1, 'error: interrupted: run it again to continue\n'])
    const { created, unchanged } = await summary()
    expect(unchanged).toBeGreaterThanOrEqual(9)
    expect(created).toBe(30 - unchanged)
    expect(created).toBeGreaterThan(0)
  })

  test('waits while the API is busy, and names a document that it refuses', async () => {
    const { sync } = await shop({ 'a.md': 'A', 'b.md': 'B' })
    let isBusy = true
    const busy = await gatewayBefore(({ method, path }) => {
      if (method !== 'PUT') return
      if (path.endsWith('b.md')) return { statusCode: 409, body: '{"detail":"Golden questions would fail."}' }
      if (!isBusy) return
      isBusy = false
      return { statusCode: 429, headers: { 'retry-after': '0.001' }, body: '{}' }
    })
    const { code, stderr, stdout } = await sync(['--json'], { origin: busy.origin })
    await busy.close()
    expect([code, JSON.parse(stdout)]).toEqual([1, counts({ created: 1, failed: 1 })])
    expect(stderr).toMatch(/^error: files\/b\.md: http.* responded 409: Golden questions would fail/)
  })
})

test('the guides run npx only in a form that never installs a package of that name', async () => {
  const pages = await readdir(join(root, 'functions/reference/guides'))
  const texts = await Promise.all(pages.map((page) => readFile(join(root, 'functions/reference/guides', page), 'utf8')))
  expect(texts.join('\n').match(/npx cuecard/g)).toEqual(null)
  const PATH = process.env
    .PATH!.split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .join(delimiter)
  const env = { PATH, HOME: directory, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }
  const run = (cwd: string) => promisify(execFile)('npx', ['--no', 'cuecard', 'sync', '--help'], { cwd, env })
  await expect(run(await commonFolder())).rejects.toThrow()
  expect((await run(root)).stdout).toContain('sync')
})

const guide = await readFile(join(import.meta.dirname, '../../functions/reference/guides/14-sync.md'), 'utf8')

test.each([
  ['sh', ['bash', '-euo', 'pipefail', '-c'], ['https://shop.example/menu?branch=walthamstow', 'shop/old']],
  ['ts', [process.execPath], ['shop/hours', 'shop/parking?']],
])(
  'the guide’s script in %s leaves the documents that it names, even when it is run twice',
  async (language, [program, ...options], ids) => {
    const { tenant, list } = await shop({})
    const old = { title: 'Old', content: 'Old.', external_id: 'shop/old' }
    await tenant.call('POST', tenant.knowledgeBase, old)
    const { text } = blocksOf(guide).find((block) => block.language === language)!
    const { PATH } = process.env
    const env = { PATH, BASE_URL: gateway.origin, API_KEY: tenant.apiKey, AGENT_ID: tenant.agentId }
    const folder = await commonFolder()
    const script = language === 'ts' ? await savedAs(folder, 'sync.mts', guide, text) : text
    for (let run = 0; run < 2; run++) await promisify(execFile)(program!, [...options, script], { cwd: folder, env })
    expect(Object.keys(await list()).toSorted()).toEqual(ids)
  },
)
