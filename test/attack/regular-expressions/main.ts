import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { type Found, regularExpressions } from './found.ts'

// `npm run check:expressions`: no regular expression of the source takes longer than in proportion to the length of a text.

const root = join(import.meta.dirname, '../../..')
const cache = join(root, 'node_modules/.cache/cuecard/linear-expressions.json')
const atOnce = 4

const known = new Set(read())
const left = [...regularExpressions(root, '{functions,shared,infra}')].filter((found) => !known.has(keyOf(found)))
const faults: string[] = []
await Promise.all(Array.from({ length: atOnce }, work))
mkdirSync(join(cache, '..'), { recursive: true })
writeFileSync(cache, JSON.stringify([...known]))
for (const fault of faults.toSorted()) console.error(fault)
if (faults.length > 0) process.exitCode = 1

async function work() {
  for (let found = left.pop(); found; found = left.pop()) {
    const fault = await faultOf(found)
    if (fault) faults.push(`${found.place} /${found.source}/${found.flags}: ${fault}`)
    else known.add(keyOf(found))
  }
}

async function faultOf({ source, flags }: Found): Promise<string | undefined> {
  if (!isUnbounded(source)) return undefined
  const result = await check(source, flags, { timeout: 60_000 })
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return `cannot be checked (${result.error.kind}): make it simpler`
  const { pumps, suffix } = result.attack
  const attack = (repeats: number) => pumps.map(({ prefix, pump }) => prefix + pump.repeat(repeats)).join('') + suffix
  // Fuzzing may find many steps that do not grow with the text.
  if (result.checker === 'fuzz' && !isSuperLinear(new RegExp(source, `${flags.replace(/[gy]/g, '')}g`), attack))
    return undefined
  const said = pumps.map(({ pump }) => JSON.stringify(pump)).join(' and ')
  return `takes ${result.complexity.summary} time where a text repeats ${said}`
}

function isUnbounded(source: string): boolean {
  return /[*+]|\{\d+,\}/.test(source.replaceAll(/\\.|\[(?:\\.|[^\\\]])*\]/gs, ''))
}

/** True if a text four times as long takes far more than four times the time, by the fastest of three runs. */
function isSuperLinear(expression: RegExp, attack: (repeats: number) => string): boolean {
  for (let repeats = 1_000; repeats <= 256_000; repeats *= 2) {
    const [short, long] = [millisecondsOf(expression, attack(repeats)), millisecondsOf(expression, attack(4 * repeats))]
    if (long > 100) return long > 8 * short
  }
  return false
}

function millisecondsOf(expression: RegExp, text: string): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage()
    text.replaceAll(expression, '')
    // The sum is exact; its parts are estimated from the kernel's ticks.
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

function keyOf({ source, flags }: Found): string {
  return `/${source}/${flags}`
}

function read(): string[] {
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) as string[]
  } catch {
    return []
  }
}
