import { type Attempt, logged } from '../../shared/documents/processing/attempt.ts'
import { leaseFence, processing } from '../../shared/documents/processing/guards.ts'
import { progress } from '../../shared/documents/processing/transitions.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'

const everyMs = 2_000

/** Writes the number of pages read, at most every two seconds. The next write, or the hand-over, makes up for a lost one. */
export function progressWriter({ db, claim }: Pick<Attempt, 'db' | 'claim'>) {
  let writing: Promise<unknown> | undefined
  let last = Number.NEGATIVE_INFINITY
  return {
    report(pagesRead: number, pages: number): void {
      if (writing || performance.now() - last < everyMs) return
      last = performance.now()
      writing = processing
        .update(leaseFence(claim), progress(pagesRead, pages))
        .execute(db)
        .catch((error) => log.warn('progress_not_written', { ...logged(claim), error: describeError(error) }))
        .finally(() => {
          writing = undefined
        })
    },
    written: async (): Promise<void> => void (await writing),
  }
}
