import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { question, section } from '../bench/data/texts.ts'

const { values: options } = parseArgs({
  options: {
    /** Requests a second. */
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
    /** The share of requests that create a document, from 0 to 1; the others search. */
    writes: { type: 'string', default: '0.02' },
  },
})
const { BASE_URL, API_KEY, AGENT_ID } = process.env
if (!BASE_URL || !API_KEY || !AGENT_ID) {
  console.error('Set BASE_URL, API_KEY and AGENT_ID, such as with: source .local/env')
  process.exit(1)
}
const knowledgeBase = `${BASE_URL}/v1/agents/${AGENT_ID}/knowledge-base`
const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
const timeoutSeconds = 30

interface Sample {
  /** A status, or why there is none. */
  outcome: number | string
  /** The time from the planned arrival to the end of the response, so that waiting in a queue counts. */
  milliseconds: number
}

/** Makes a second run ask other questions. */
const first = Math.floor(Math.random() * 2 ** 30)
const searches: Sample[] = []
const writes: Sample[] = []
const created: string[] = []

/** Sends one request, planned for this time by `performance.now()`. */
async function send(planned: number, index: number): Promise<void> {
  const isWrite = Math.random() < Number(options.writes)
  const body = isWrite
    ? { title: `Load test ${index}`, content: section(1, first + index) }
    : { query: question(1, first + index), limit: 5 }
  const outcome = await fetch(isWrite ? knowledgeBase : `${knowledgeBase}/search`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  }).then(
    async (response) => {
      await response.arrayBuffer()
      const location = response.headers.get('location')
      if (location) created.push(location)
      return response.status
    },
    (error: Error) => error.name,
  )
  const samples = isWrite ? writes : searches
  samples.push({ outcome, milliseconds: performance.now() - planned })
}

/** Sends at random times that wait for no response, as callers do (a Poisson process). */
async function sendAll(): Promise<void> {
  const inFlight: Promise<void>[] = []
  const begin = performance.now()
  const end = begin + Number(options.seconds) * 1000
  for (let at = begin; at < end; at += (-Math.log(1 - Math.random()) / Number(options.rate)) * 1000) {
    await delay(Math.max(0, at - performance.now()))
    inFlight.push(send(at, inFlight.length))
  }
  await Promise.all(inFlight)
}

function report(name: string, samples: Sample[]): void {
  const served = samples.filter(({ outcome }) => typeof outcome === 'number' && outcome < 400)
  const times = served.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  const at = (share: number) => `${Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)} ms`
  const failed = Object.entries(
    Object.groupBy(
      samples.filter((sample) => !served.includes(sample)),
      ({ outcome }) => outcome,
    ),
  ).map(([outcome, group]) => `${group!.length} × ${outcome}`)
  const perSecond = (served.length / Number(options.seconds)).toFixed(1)
  console.log(`${name}: ${samples.length} sent, ${served.length} served (${perSecond}/s)`)
  if (times.length > 0) console.log(`  p50 ${at(0.5)}   p95 ${at(0.95)}   p99 ${at(0.99)}   max ${at(1)}`)
  if (failed.length > 0) console.log(`  not served: ${failed.join(', ')}`)
}

await sendAll()
report('searches', searches)
if (writes.length > 0) report('new documents', writes)
for (const location of created) await fetch(new URL(location, BASE_URL), { method: 'DELETE', headers })
