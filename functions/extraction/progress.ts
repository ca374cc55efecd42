import type { Attempt } from '../../shared/documents/attempt.ts'
import { logged } from '../../shared/documents/attempt.ts'
import { leaseFence, progress } from '../../shared/documents/transitions.ts'
import { describeError, log } from '../../shared/log.ts'

const everyMs = 2_000

/** Writes how far the pages are, at most every two seconds. A lost write is made up for by the next, or by the hand-over. */
export function progressWriter({ db, claim }: Pick<Attempt, 'db' | 'claim'>) {
  let writing: Promise<unknown> | undefined
  let last = Number.NEGATIVE_INFINITY
  return {
    report(pagesRead: number, pages: number): void {
      if (writing || performance.now() - last < everyMs) return
      last = performance.now()
      writing = db
        .updateTable('documents as d')
        .set(progress(pagesRead, pages))
        .where(leaseFence(claim))
        .execute()
        .catch((error) => log.warn('progress_not_written', { ...logged(claim), error: describeError(error) }))
        .finally(() => {
          writing = undefined
        })
    },
    written: async (): Promise<void> => void (await writing),
  }
}
