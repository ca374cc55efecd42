import type { ReportedQuestion } from '../../functions/questions/schemas.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { newId } from '../../shared/ids.ts'
import type { Service } from './service.ts'

const everyMilliseconds = 2000
const perBatch = 100
const maxWaiting = 1000
const timeoutMilliseconds = 10_000

/** Sends answered questions to the service, in batches. While it can't be reached, it keeps the latest 1,000. */
export function questionLog(service: Service) {
  let waiting: ReportedQuestion[] = []
  let lost = 0
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, perBatch)
      try {
        await service.post('/questions/batch', { questions: batch }, timeoutMilliseconds)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'rate_limited') throw error
        // The service would refuse it again.
        lost += batch.length
      }
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
    /** Questions that were dropped. */
    get lost() {
      return lost
    },
    add(answered: Omit<ReportedQuestion, 'id' | 'asked_at'>): void {
      waiting.push({ id: newId(), asked_at: new Date().toISOString(), ...answered })
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
