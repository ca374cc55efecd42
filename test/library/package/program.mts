// Compiled beside the installed package, under the strictest settings and without other types.
import {
  type Agent,
  CuecardError,
  openAgent,
  type PrefetchBody,
  type SearchAnswer,
  type SearchBody,
  type VectorSource,
} from 'cuecard'

const vectors: VectorSource = { model: 'mine', embed: async (texts) => texts.map(() => new Float32Array(1536)) }
await using agent: Agent = await openAgent({ url: '', key: '', agentId: '', vectors })
const body: SearchBody = { query: 'Where can I park?', mode: 'hybrid', limit: 3, history: ['Hello.'] }
const prefetched: PrefetchBody = { query: 'Where can I park?' }
await agent.prefetch(prefetched)
const answer: SearchAnswer = await agent.search(body)
export const title: string | undefined = answer.data[0]?.source.title
export const isValue: boolean = answer.status === 'found' && answer.value?.text === title
export const age: number | null = agent.status().ageSeconds
// @ts-expect-error A query is a text.
await agent.search({ query: 4711 })
// @ts-expect-error There is no such field.
await agent.search({ question: 'Where can I park?' })

export function pointerOf(error: unknown): string | undefined {
  return error instanceof CuecardError && error.code === 'validation_failed' ? error.errors?.[0]?.pointer : undefined
}
