import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { messageOf } from '../local/error-message.ts'

const settings = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  API_KEY: v.string(),
  AGENT_ID: v.pipe(v.string(), v.uuid()),
})
const document = v.object({ id: v.string(), status: v.string(), error_message: v.nullable(v.string()) })
const hits = v.object({ data: v.array(v.object({ document_id: v.string() })) })
const maxSeconds = 120

try {
  const seconds = await smoke(v.parse(settings, process.env))
  console.log(`A document was found ${seconds.toFixed(1)} s after it was created, and deleted.`)
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}

/** Creates a document, waits until it is completed, finds it and deletes it. @throws Error that names the call that failed */
async function smoke({ BASE_URL, API_KEY, AGENT_ID }: v.InferOutput<typeof settings>): Promise<number> {
  const knowledgeBase = `${BASE_URL}/v1/agents/${AGENT_ID}/knowledge-base`
  const code = crypto.randomUUID()
  const started = performance.now()
  const created = await call('POST', '', document, { title: 'Smoke test', content: `The code of this run is ${code}.` })
  try {
    await untilCompleted(created.id)
    const { data } = await call('POST', '/search', hits, { query: code, limit: 5 })
    if (!data.some((hit) => hit.document_id === created.id)) throw new Error('search does not find the document')
    return (performance.now() - started) / 1000
  } finally {
    await request('DELETE', `/${created.id}`)
  }

  async function untilCompleted(id: string): Promise<void> {
    const deadline = performance.now() + maxSeconds * 1000
    while (performance.now() < deadline) {
      const { status, error_message } = await call('GET', `/${id}`, document)
      if (status === 'completed') return
      if (status === 'error') throw new Error(`the document ended in error: ${error_message}`)
      await sleep(500)
    }
    throw new Error(`the document was not completed in ${maxSeconds} s`)
  }

  async function call<T>(method: string, path: string, schema: v.GenericSchema<unknown, T>, body?: object): Promise<T> {
    return v.parse(schema, await (await request(method, path, body)).json())
  }

  async function request(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(knowledgeBase + path, {
      method,
      headers: { 'x-api-key': API_KEY, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`)
    return response
  }
}
