import { type Database, whenReplaced } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import { forgetPassages } from '../statement/kept-passages.ts'
import { type AgentIndex, emptyIndex } from './agent-index.ts'
import { upToDate } from './changes.ts'

/** The part of an instance's memory that indexes take; joining two segments of the largest takes as much again. It holds 200,000 chunks of 512 MB. */
const shareOfMemory = 0.25
const memoryBytes = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 1769) * 1_000_000
/** The database knows of documents that search no longer serves for seven days. */
const maxAgeMilliseconds = 6 * 24 * 60 * 60 * 1000

/** The indexes that an instance keeps. The least recently used goes first. */
export class LoadedAgents {
  readonly #maxBytes: number
  readonly #kept = new Map<string, { index: AgentIndex; readAt: number }>()
  readonly #loading = new Map<string, Promise<AgentIndex>>()
  #bytes = 0

  constructor(maxBytes = shareOfMemory * memoryBytes) {
    this.#maxBytes = maxBytes
  }

  /** The agent's index, which may be out of date; the first search of an instance loads it. @throws ApiError agent_not_found, payload_too_large */
  async of(db: Pick<Database, 'batch'>, scope: AgentScope): Promise<AgentIndex> {
    const name = nameOf(scope)
    const kept = this.#kept.get(name)
    if (kept && Date.now() - kept.readAt < maxAgeMilliseconds) {
      // The least recently used comes first.
      this.#kept.delete(name)
      this.#kept.set(name, kept)
      return kept.index
    }
    const loading = this.#loading.get(name)
    if (loading) return await loading
    const load = upToDate(db, emptyIndex(scope)).then((index) => this.keep(index))
    this.#loading.set(name, load)
    return await load.finally(() => this.#loading.delete(name))
  }

  /** Keeps an index in place of the agent's former one. @returns it @throws ApiError payload_too_large */
  keep(index: AgentIndex): AgentIndex {
    const name = nameOf(index.scope)
    this.forget(index.scope)
    if (index.bytes > this.#maxBytes) throw tooLarge(index)
    this.#kept.set(name, { index, readAt: Date.now() })
    this.#bytes += index.bytes
    for (const { index: oldest } of this.#kept.values()) {
      if (this.#bytes <= this.#maxBytes) break
      this.forget(oldest.scope)
    }
    return index
  }

  forgetAll(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  forget(scope: AgentScope): void {
    this.#bytes -= this.#kept.get(nameOf(scope))?.index.bytes ?? 0
    this.#kept.delete(nameOf(scope))
  }
}

/** Those of this instance. */
export const loadedAgents = new LoadedAgents()

whenReplaced(() => {
  loadedAgents.forgetAll()
  forgetPassages()
})

function nameOf({ organizationId, agentId }: AgentScope): string {
  return `${organizationId} ${agentId}`
}

function tooLarge({ chunks }: AgentIndex): ApiError {
  return new ApiError(
    'payload_too_large',
    `The agent has ${chunks.toLocaleString('en')} chunks, more than a search can hold. Divide its documents between several agents.`,
  )
}
