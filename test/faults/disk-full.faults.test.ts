import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { page, website } from '../sources/website.ts'
import { useStandProcesses } from '../support/stand/stand-process.ts'
import { passLeases, seed, tell } from './effort.ts'
import { type Answer, System } from './system.ts'

const directory = mkdtempSync(join(tmpdir(), 'cuecard-disk-'))
const { home, start } = useStandProcesses()

/** Mounts a small file system. @returns true if this machine allows it */
function mount(...options: string[]): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', directory], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
const isMounted = process.platform === 'linux' && mount('size=60m')
afterAll(() => {
  if (isMounted) execFileSync('umount', ['-l', directory])
})

/** Words that no compression makes small. */
function textOf(random: Random): string {
  return Array.from({ length: 50_000 }, () => random.below(2 ** 30).toString(36)).join(' ')
}

test.skipIf(!isMounted)(
  'on a full disk the system ends with a message, even in mid-crawl; with room again it has everything acknowledged, and the crawl continues (needs the right to mount)',
  async () => {
    const random = new Random(seed)
    // No worker embeds, so that waiting documents fill the disk.
    const env = { EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1', ALLOW_LOOPBACK: 'true' }
    const system = await System.create(await home({ server: null, isEmpty: true, directory }), start, env)
    const links = Array.from({ length: 30 }, (_, i) => `/room-${i}`)
    const text = (path: string) => `What stands at ${path} is on no other page of the inn: ${path} and its price.`
    const site = await website(
      Object.fromEntries(['/', ...links].map((path) => [path, page(path, text(path), ...links)])),
    )
    await system.start()
    const sources = `/v1/agents/${system.agent.agentId}/sources`
    const source = `${sources}/${(await system.call('POST', sources, { url: `${site.url}/` }))!.body.id}`
    await expect.poll(() => site.asked.length, { timeout: 30_000 }).toBeGreaterThan(2)
    const acknowledged: { id: string; content: string }[] = []
    let answer: Answer | undefined
    do {
      const content = textOf(random)
      answer = await system.call('POST', '', { title: `Document ${acknowledged.length}`, content })
      if (answer?.status === 201) acknowledged.push({ id: answer.body.id, content })
    } while (answer?.status === 201)
    expect(acknowledged.length).toBeGreaterThan(10)
    // There is no answer if the crawl meets the full disk first.
    if (answer) expect(answer.status).toBe(503)
    if (answer) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await system.ends()).toBe(1)
    expect(system.output.trim().split('\n').at(-1)).toMatch(
      /^Cuecard has ended: the embedded database has stopped \(.*No space left on device\)\. Make room on the disk of .* and start again: everything acknowledged is kept$/,
    )

    mount('remount', 'size=400m')
    await system.start()
    for (const { id, content } of acknowledged) {
      const kept = await system.call('GET', `/${id}`)
      expect(kept?.body.content === content).toBe(true)
    }
    expect((await system.call('POST', '', { title: 'After', content: 'There is room.' }))?.status).toBe(201)
    const { body: interrupted } = (await system.call('GET', source))!
    expect(interrupted).toMatchObject({ status: 'pending', error_message: null })
    const askedBefore = site.asked.length
    await passLeases(await system.database())
    expect((await system.call('POST', `${source}/refresh`))?.status).toBe(202)
    const status = async () => (await system.call('GET', source))?.body.status
    await expect.poll(status, { timeout: 180_000, interval: 1_000 }).toBe('ready')
    const { rows } = await sql<{
      address: string
      content: string
    }>`select replace(external_id, ${site.url}, '') as address, content
      from documents where source_id is not null`.execute(await system.database())
    expect(rows.map(({ address }) => address).toSorted()).toEqual(['/', ...links].toSorted())
    for (const { address, content } of rows) expect(content).toContain(text(address))
    tell('documents acknowledged until the disk was full, all kept', {
      documents: acknowledged.length,
      'requests of the crawl before': askedBefore,
      'requests after': site.asked.length - askedBefore,
    })
    expect(await system.stop()).toBe(0)
  },
  600_000,
)
