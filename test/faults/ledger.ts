import type { ProviderCall } from '../support/provider/fake-provider.ts'

/** A document as its client sees it: the acknowledged state, and changes since that may or may not have taken effect. */
export interface Entry {
  /** The Idempotency-Key of its creation. */
  key: string
  /** No other document has it. */
  title: string
  managedBy: 'service' | 'client'
  /** Undefined until its creation is acknowledged. */
  id?: string
  /** Contents that it may have: the last acknowledged one, then those sent since without an answer. */
  contents: string[]
  /** The number of edits sent so far, so that no two contents are equal. */
  edits: number
  /** Batches of chunks that were sent, each under an Idempotency-Key of its own. */
  batches: { key: string; chunks: { chunk_index: number; content: string }[]; isAcknowledged: boolean }[]
  deletion?: 'sent' | 'acknowledged'
}

/** The answers that a system's clients got, to compare with the system when it is idle. */
export class Ledger {
  readonly entries: Entry[] = []
  /** Descriptions of answers that no client may ever get. */
  readonly violations: string[] = []
  readonly counts = { acknowledged: 0, unknown: 0, repeated: 0, replayed: 0, refused: 0 }

  newEntry(managedBy: Entry['managedBy']): Entry {
    const title = `Document ${this.entries.length}`
    const contents = managedBy === 'service' ? [textOf(title, 0)] : []
    const entry: Entry = { key: `create ${title}`, title, managedBy, contents, edits: 0, batches: [] }
    this.entries.push(entry)
    return entry
  }

  /** Documents whose creation was acknowledged. */
  get acknowledged(): Entry[] {
    return this.entries.filter(({ id }) => id !== undefined)
  }
}

const paragraphs = 5

/** A text of several chunks, each with its document and number. */
export function textOf(title: string, edit: number): string {
  const mark = markOf(title, edit)
  return Array.from(
    { length: paragraphs },
    (_, i) => `${mark} in part ${i}: the workshop mends bicycles of every make, and lends others until they are ready.`,
  ).join('\n\n')
}

/** A word that only this text has. */
export function markOf(title: string, edit: number): string {
  return `${title.replaceAll(' ', '').toLowerCase()}edit${edit}end`
}

function isOfLedger(text: string): boolean {
  return /edit\d+end/.test(text)
}

/**
 * A text is paid for once, and once more for each time that the process which had asked for it was killed before it was stored.
 * @param kills how many calls there had been at each kill
 * @returns the texts that were paid for twice in the life of one process among the unexplained
 */
export function repeatedPayments(calls: readonly ProviderCall[], kills: readonly number[]) {
  const lives = new Map<string, number[]>()
  for (const [i, { texts }] of calls.entries()) {
    const life = kills.filter((callsBefore) => callsBefore <= i).length
    for (const text of texts.filter(isOfLedger)) lives.set(text, [...(lives.get(text) ?? []), life])
  }
  const payments = [...lives.values()]
  return {
    texts: lives.size,
    again: payments.reduce((sum, { length }) => sum + length - 1, 0),
    unexplained: [...lives].filter(([, paid]) => new Set(paid).size < paid.length).map(([text]) => text),
  }
}
