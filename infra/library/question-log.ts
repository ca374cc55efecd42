import { newId } from '../../shared/ids.ts'
import type { Answer, Question } from '../../shared/retrieval/answer.ts'
import type { FoundPassage } from '../../shared/retrieval/found.ts'
import type { Service } from './service.ts'

const everyMilliseconds = 2000
const perBatch = 100
const maxWaiting = 1000
const timeoutMilliseconds = 10_000

type Answered = Pick<Question, 'query' | 'call_id' | 'mode'> &
  Pick<Answer, 'answerable' | 'status' | 'value' | 'degraded'> & { hits: readonly FoundPassage[]; milliseconds: number }

/** Sends answered questions to the service, in batches. While it can't be reached, it keeps the latest 1,000. */
export function questionLog(service: Service) {
  let waiting: object[] = []
  let lost = 0
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, perBatch)
      await service.post('/questions/batch', { questions: batch }, timeoutMilliseconds)
      const sent = new Set(batch)
      waiting = waiting.filter((each) => !sent.has(each))
    }
  }

  function flush(): Promise<void> {
    sending ??= send()
      .catch(() => {})
      .finally(() => {
        sending = undefined
      })
    return sending
  }

  const timer = setInterval(() => void flush(), everyMilliseconds).unref()

  return {
    get waiting() {
      return waiting.length
    },
    /** Questions that were dropped. */
    get lost() {
      return lost
    },
    add({ query, call_id, hits, milliseconds, ...how }: Answered): void {
      waiting.push({
        id: newId(),
        asked_at: new Date().toISOString(),
        question: query,
        call_id,
        ...how,
        milliseconds: Math.round(milliseconds),
        hits: hits.map(({ chunk_id, document_id, revision, chunk_index, score }) => {
          return { chunk_id, document_id, revision, chunk_index, score }
        }),
      })
      if (waiting.length <= maxWaiting) return
      waiting.shift()
      lost++
    },
    /** Sends what is waiting, once. */
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
      lost += waiting.length
      waiting = []
    },
  }
}
