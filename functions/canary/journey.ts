import * as v from 'valibot'
import { type ApiAccess, type ApiClient, apiClient, CallFailed } from './api-client.ts'
import type { Steps } from './steps.ts'

interface Journey extends ApiAccess {
  agentId: string
  title: string
  pause(): Promise<unknown>
}

/** No run takes as long, so a failed run has left behind any older document with this title. */
const leftoverMilliseconds = 5 * 60_000
const cleanUpMilliseconds = 10_000

const document = v.object({ id: v.string(), status: v.string(), error_message: v.nullable(v.string()) })
const documents = v.object({ data: v.array(v.object({ id: v.string(), title: v.string(), created_at: v.string() })) })
const hits = v.object({ data: v.array(v.object({ document_id: v.string() })) })
const nothing = v.undefined()
const problem = v.object({ code: v.literal('document_not_found') })

/** Uses the API as a caller does, from creating a document to finding it gone, and cleans up. @throws CallFailed */
export async function runJourney(journey: Journey, steps: Steps): Promise<void> {
  const { agentId, title, pause, signal } = journey
  const knowledgeBase = `/v1/agents/${agentId}/knowledge-base`
  const call = apiClient(journey)
  await steps.run('leftovers', () => deleteLeftovers(call, knowledgeBase, title))
  const code = crypto.randomUUID()
  const created = await steps.run('create', () => {
    const content = `The code of this run is ${code}.`
    return call('POST', knowledgeBase, { status: 201, schema: document }, { title, content })
  })
  const { id } = created.body
  const path = `${knowledgeBase}/${id}`
  try {
    await steps.run('complete', () => untilCompleted(call, path, { pause, signal, requestId: created.requestId }))
    await steps.run('search', () => find(call, knowledgeBase, { id, query: code }))
    await steps.run('delete', () => call('DELETE', path, { status: 204, schema: nothing }))
    await steps.run('gone', () => call('GET', path, { status: 404, schema: problem }))
    await steps.run('external id', () => putNamed(call, knowledgeBase, title))
  } catch (error) {
    await cleanUp(journey, path)
    throw error
  }
}

/** Checks that an external id arrives as it was sent, since the gateway’s handling of paths is documented nowhere. */
async function putNamed(call: ApiClient, knowledgeBase: string, title: string): Promise<void> {
  const external_id = `https://canary.example//${crypto.randomUUID()}/?a=1&b=100%#ü`
  const path = `${knowledgeBase}/by-external-id/${encodeURIComponent(encodeURIComponent(external_id))}`
  const schema = v.object({ external_id: v.literal(external_id) })
  await call('PUT', path, { status: 201, schema }, { external_id, title, content: 'This is a test.' })
  await call('GET', path, { status: 200, schema })
  await call('DELETE', path, { status: 204, schema: nothing })
}

async function deleteLeftovers(call: ApiClient, knowledgeBase: string, title: string): Promise<void> {
  const path = `${knowledgeBase}?exclude=content&limit=100`
  const { data } = (await call('GET', path, { status: 200, schema: documents })).body
  const left = data.filter(
    (each) => each.title === title && Date.parse(each.created_at) < Date.now() - leftoverMilliseconds,
  )
  for (const { id } of left) await call('DELETE', `${knowledgeBase}/${id}`, { status: 204, schema: nothing })
}

/** @param requestId the creating request's, as in the pipeline's log. @throws CallFailed on an error, or when the signal is aborted */
async function untilCompleted(
  call: ApiClient,
  path: string,
  { pause, signal, requestId }: Pick<Journey, 'pause' | 'signal'> & { requestId: string | undefined },
): Promise<void> {
  for (;;) {
    const { body } = await call('GET', `${path}?exclude=content`, { status: 200, schema: document })
    if (body.status === 'completed') return
    if (body.status === 'error') throw new CallFailed(`the document ended in error: ${body.error_message}`, requestId)
    await pause()
    if (signal.aborted) throw new CallFailed(`the document is still ${body.status}`, requestId)
  }
}

async function find(call: ApiClient, knowledgeBase: string, { id, query }: { id: string; query: string }) {
  const found = await call('POST', `${knowledgeBase}/search`, { status: 200, schema: hits }, { query, limit: 5 })
  if (!found.body.data.some((hit) => hit.document_id === id))
    throw new CallFailed('search does not find the document', found.requestId)
}

/** Ignores a failure: the next run deletes the leftover, and the failure before this one is reported. */
async function cleanUp(access: ApiAccess, path: string): Promise<void> {
  const call = apiClient({ ...access, signal: AbortSignal.timeout(cleanUpMilliseconds) })
  await call('DELETE', path, { status: 204, schema: nothing }).catch(() => {})
}
