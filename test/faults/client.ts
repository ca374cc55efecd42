import type { Random } from '../simulation/random.ts'
import { type Entry, type Ledger, textOf } from './ledger.ts'
import type { Answer, System } from './system.ts'

type Send = () => Promise<Answer | undefined>

const chunksPerBatch = 3

/** Works on its own documents, one request after the other, and records the answers in the ledger. */
export class Client {
  readonly #system: System
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #own: Entry[] = []

  constructor(system: System, ledger: Ledger, random: Random) {
    this.#system = system
    this.#ledger = ledger
    this.#random = random
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#system.isUp
      await this.#act()
    }
  }

  /** Repeats requests without an answer until they get one. */
  async settle(): Promise<void> {
    for (const entry of this.#own) {
      if (!entry.id) await this.#answered(() => this.#sendCreation(entry), true)
      if (entry.deletion === 'sent') await this.#delete(entry, true)
      for (const batch of entry.batches.filter(({ isAcknowledged }) => !isAcknowledged))
        await this.#answered(() => this.#sendBatch(entry, batch), true)
      const isComplete = entry.managedBy === 'service' || entry.deletion || entry.batches.length === 0
      if (!isComplete) await this.#answered(() => this.#patch(entry, { status: 'completed' }), true)
    }
  }

  async #act() {
    const act = this.#random.weighed({ create: 35, edit: 25, retry: 8, delete: 10, upload: 14, recreate: 8 })
    if (act === 'create') return await this.#create()
    const wanted = act === 'upload' ? 'client' : 'service'
    const mayBeGone = act === 'recreate'
    const candidates = this.#own.filter(
      ({ id, managedBy, deletion }) =>
        id && (mayBeGone || (deletion === undefined && (act === 'delete' || managedBy === wanted))),
    )
    if (candidates.length === 0) return await this.#create()
    const entry = this.#random.pick(candidates)
    if (act === 'edit') await this.#edit(entry)
    else if (act === 'retry') await this.#answered(() => this.#patch(entry, { status: 'pending' }))
    else if (act === 'delete') await this.#delete(entry)
    else if (act === 'upload') await this.#upload(entry)
    else await this.#answered(() => this.#sendCreation(entry))
  }

  async #create() {
    const entry = this.#ledger.newEntry(this.#random.chance(0.85) ? 'service' : 'client')
    this.#own.push(entry)
    await this.#answered(() => this.#sendCreation(entry))
  }

  async #sendCreation(entry: Entry) {
    const { title, managedBy, key } = entry
    const body = { title, ...(managedBy === 'service' && { content: textOf(title, 0) }) }
    const answer = await this.#system.call('POST', '', body, { 'idempotency-key': key })
    if (answer?.status === 201) {
      if (entry.id && entry.id !== answer.body.id) this.#violated(entry, 'a repeated creation made another document')
      if (answer.headers.has('idempotency-replayed')) this.#ledger.counts.replayed++
      else if (entry.id) this.#violated(entry, 'a repeated creation was taken for a first one')
      entry.id ??= answer.body.id as string
    } else if (answer?.status === 404 && !entry.deletion) this.#violated(entry, 'a creation that was replayed is gone')
    return answer
  }

  async #edit(entry: Entry) {
    const content = textOf(entry.title, ++entry.edits)
    entry.contents.push(content)
    const answer = await this.#answered(() => this.#patch(entry, { content }))
    if (answer?.status === 200) entry.contents = [content]
  }

  async #patch(entry: Entry, body: object) {
    const answer = await this.#system.call('PATCH', `/${entry.id}`, body)
    if (answer?.status === 404 && !entry.deletion) this.#violated(entry, 'an acknowledged document is gone')
    return answer
  }

  async #delete(entry: Entry, mustKnow = false) {
    const answer = await this.#answered(async () => {
      const sent = await this.#system.call('DELETE', `/${entry.id}`)
      if (sent?.status === 404 && !entry.deletion) this.#violated(entry, 'an acknowledged document is gone')
      entry.deletion ??= 'sent'
      return sent
    }, mustKnow)
    if (answer?.status === 204 || answer?.status === 404) entry.deletion = 'acknowledged'
  }

  async #upload(entry: Entry) {
    const from = entry.batches.length * chunksPerBatch
    const chunks = Array.from({ length: chunksPerBatch }, (_, i) => ({
      chunk_index: from + i,
      content: `${entry.title} has part ${from + i}.`,
      embedding: Array.from({ length: 1536 }, (_, axis) => Number(axis === from + i)),
    }))
    const batch = { key: `upload ${entry.title} ${from}`, chunks, isAcknowledged: false }
    entry.batches.push(batch)
    await this.#answered(() => this.#sendBatch(entry, batch))
  }

  async #sendBatch(entry: Entry, batch: Entry['batches'][number]) {
    const { key, chunks } = batch
    const answer = await this.#system.call('POST', `/${entry.id}/chunks`, { chunks }, { 'idempotency-key': key })
    if (answer?.status === 201) batch.isAcknowledged = true
    else if (answer?.status === 409 && isKnown(answer)) this.#violated(entry, 'a repeated upload was not recognized')
    return answer
  }

  /** @param mustKnow repeats until there is an answer; else the client sometimes gives up without one */
  async #answered(send: Send, mustKnow = false): Promise<Answer | undefined> {
    const { counts } = this.#ledger
    for (;;) {
      const answer = await send()
      if (answer?.status === 500) this.#ledger.violations.push(`a 500: ${JSON.stringify(answer.body)}`)
      if (answer && isKnown(answer)) {
        if (answer.status < 300) counts.acknowledged++
        else counts.refused++
        return answer
      }
      counts.unknown++
      if (!mustKnow && this.#random.chance(0.3)) return undefined
      counts.repeated++
      await this.#system.isUp
    }
  }

  #violated(entry: Entry, what: string) {
    this.#ledger.violations.push(`${entry.title}: ${what}`)
  }
}

/** True if the answer says whether the request took effect. */
function isKnown({ status, body }: Answer): boolean {
  return status < 500 && status !== 429 && body?.code !== 'idempotency_in_progress'
}
