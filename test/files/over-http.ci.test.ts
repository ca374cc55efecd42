import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FormUpload } from '../../shared/files/presigner.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { blocksOf } from '../support/tools/guide-blocks.ts'
import { commonFolder, savedAs } from '../support/tools/guide-folder.ts'
import { isInstalled } from '../support/tools/installed.ts'

const stand = useStand()
const gateway = useGateway(stand)

const text = '# Prices\n\nA day with the bike costs 20 euros.'
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cuecard-files-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

const announce = (tenant: Tenant, body: object = {}, headers = {}) =>
  tenant.call('POST', `${tenant.knowledgeBase}/files`, { name: 'prices.md', bytes: text.length, ...body }, headers)

async function post({ url, fields }: FormUpload, content = text): Promise<number> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([content]))
  return (await fetch(url, { method: 'POST', body: form })).status
}

async function processAll() {
  await stand.deliver('extraction')
  await stand.deliver()
}

const guide = await readFile(join(import.meta.dirname, '../../functions/reference/guides/13-files.md'), 'utf8')
const programs: Record<string, [string, ...string[]]> = {
  sh: ['bash', '-euo', 'pipefail', '-c'],
  ts: [process.execPath],
  python: ['python3', '-c'],
}

const environment = { PATH: process.env.PATH, PYTHONPATH: join(import.meta.dirname, '../support/python') }

test.for(blocksOf(guide))(
  'the script of the guide in $language makes a file searchable',
  async ({ language, text: script }, context) => {
    const tenant = await stand.tenant()
    const file = join(folder, `“Winter” prices, ${language}.md`)
    await writeFile(file, text)
    const [program, ...options] = programs[language]!
    context.skip(program !== process.execPath && !isInstalled(program), `needs ${program}`)
    const { stdout } = await promisify(execFile)(
      program,
      [...options, language === 'ts' ? await savedAs(await commonFolder(), 'files.mts', guide, script) : script],
      {
        env: { ...environment, BASE_URL: gateway.origin, API_KEY: tenant.apiKey, AGENT_ID: tenant.agentId, FILE: file },
      },
    )
    await processAll()
    const query = 'what does the bike cost a day'
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
    expect(body.data).toMatchObject([{ document_id: stdout.trim(), content: expect.stringContaining('20 euros') }])
  },
)

describe('a file that is announced', () => {
  test('is a pending document without content, and its text is shown on request once it is extracted', async () => {
    const tenant = await stand.tenant()
    const { status, body, headers } = await announce(tenant, { title: 'Bikes', valid_until: '2199-01-01T00:00:00Z' })
    const path = `${tenant.knowledgeBase}/${body.document.id}`
    expect(status).toBe(201)
    expect(headers.location).toBe(path)
    expect(body.document).toMatchObject({ title: 'Bikes', content: null, source_type: 'txt', status: 'pending' })
    expect(body.document).toMatchObject({ valid_until: '2199-01-01T00:00:00.000Z' })
    expect((await tenant.call('GET', `${path}?include=text`)).body).toMatchObject({ text: null, content: null })
    expect(await post(body.upload)).toBe(204)
    expect(await tenant.call('POST', `${path}/uploaded`)).toMatchObject({ status: 202, body: undefined })
    expect((await tenant.call('POST', `${path}/uploaded`)).status).toBe(202)
    await processAll()
    const read = await tenant.call('GET', `${path}?include=text&exclude=content`)
    expect(read.body).toMatchObject({ status: 'completed', title: 'Bikes', text, chunk_count: 1 })
    expect(read.body).not.toHaveProperty('content')
    expect((await tenant.call('GET', path)).body).not.toHaveProperty('text')
  })

  test('is created once under an Idempotency-Key, and a repeat gets a form for the same file and hour', async () => {
    const tenant = await stand.tenant()
    const key = { 'idempotency-key': 'prices' }
    const first = await announce(tenant, {}, key)
    const second = await announce(tenant, {}, key)
    expect(second).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } })
    expect(second.body.document).toEqual(first.body.document)
    const expiry = ({ fields }: FormUpload) => JSON.parse(Buffer.from(fields.policy!, 'base64').toString()).expiration
    expect(expiry(second.body.upload)).toBe(expiry(first.body.upload))
    expect(second.body.upload.fields.key).toBe(first.body.upload.fields.key)
    expect(await post(second.body.upload)).toBe(204)
    expect((await announce(tenant, { bytes: 1 }, key)).body.code).toBe('idempotency_key_reused')
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })

  test.each([
    [{ name: 'song.mp3' }, '/name', /must end in one of \.pdf, /],
    [{ name: 'a'.repeat(256) }, '/name', /255/],
    [{ bytes: 0 }, '/bytes', /between 1 and 52428800/],
    [{ bytes: 52_428_801 }, '/bytes', /between 1 and 52428800/],
    [{ title: ' ' }, '/title', /empty/],
    [{ content: 'x' }, '/content', /allowed: name, bytes, title/],
    [{ valid_from: '2027-01-01T00:00:00Z', valid_until: '2026-01-01T00:00:00Z' }, '/valid_until', /later/],
  ])('is refused for %o', async (body, pointer, detail) => {
    const tenant = await stand.tenant()
    const refused = await announce(tenant, body)
    expect(refused.status).toBe(422)
    expect(refused.body.errors[0]).toMatchObject({ pointer, detail: expect.stringMatching(detail) })
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toEqual([])
  })
})

test('a report changes nothing in a document that awaits no file', async () => {
  const tenant = await stand.tenant()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' })
  const report = (id: string) => tenant.call('POST', `${tenant.knowledgeBase}/${id}/uploaded`)
  expect((await report(body.id)).status).toBe(202)
  expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body).toEqual(body)
  expect((await report(tenant.agentId)).body.code).toBe('document_not_found')
})
