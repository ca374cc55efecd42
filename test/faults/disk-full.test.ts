import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { useStandProcesses } from '../support/stand-process.ts'
import { seed, tell } from './effort.ts'
import { type Answer, System } from './system.ts'

const directory = mkdtempSync(join(tmpdir(), 'cuecard-disk-'))
const { home, start } = useStandProcesses()

/** A file system of its own that is soon full. @returns whether this machine lets us */
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
  'when the disk of DATA_DIR is full, the system says so in a sentence and ends; once there is room it starts with all that was acknowledged (needs the right to mount)',
  async () => {
    const random = new Random(seed)
    // Nobody embeds: the documents wait, so that it is they who fill the disk.
    const env = { EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1' }
    const system = await System.create(await home({ server: null, isEmpty: true, directory }), start, env)
    await system.start()
    const acknowledged: { id: string; content: string }[] = []
    let refused: Answer | undefined
    for (let i = 0; i < 1_000 && !refused; i++) {
      const content = textOf(random)
      const answer = await system.call('POST', '', { title: `Document ${i}`, content })
      if (answer?.status === 201) acknowledged.push({ id: answer.body.id, content })
      else refused = answer
    }
    expect(acknowledged.length).toBeGreaterThan(10)
    expect(refused?.status).toBe(503)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
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
    tell('documents acknowledged until the disk was full, all kept', { documents: acknowledged.length })
    expect(await system.stop()).toBe(0)
  },
  600_000,
)
