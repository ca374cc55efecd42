/** What one process of the generator sends, and what came of it. It is sent between processes, so it is plain data. */
export interface Stream {
  origin: string
  /** Taken in turn. */
  callers: readonly Caller[]
  /** How often each operation comes, against the others. */
  mix: Mix
  load: Load
  seed: number
  timeoutSeconds: number
}

export const operations = ['search', 'poll', 'list', 'create', 'bulk'] as const
export type Operation = (typeof operations)[number]
export type Mix = Partial<Record<Operation, number>>

export interface Caller {
  organizationId: string
  apiKey: string
  /** Path of the agent's documents. */
  knowledgeBase: string
  documentIds: readonly string[]
}

/**
 * `arrivals`, an open model: requests arrive by a Poisson process that waits for nobody. `senders`, a closed one: as many as that
 * each send the next request as soon as the last is answered, which is what one caller in a loop does.
 */
export type Load = { arrivals: readonly Phase[] } | { senders: number; seconds: number }

export interface Phase {
  seconds: number
  perSecond: number
}

/** A status, or how the request ended without one. */
export type Outcome = number | 'reset' | 'timeout'

export interface Sample {
  operation: Operation
  /** Milliseconds from the stream's begin to the planned arrival. */
  at: number
  /** From the planned arrival to the end of the response, so that what waited in the generator or on a socket counts. */
  milliseconds: number
  /** How much of that the generator itself was late. */
  late: number
  outcome: Outcome
  hasRetryAfter: boolean
}

export const isServed = ({ outcome }: Sample): boolean => typeof outcome === 'number' && outcome < 400
