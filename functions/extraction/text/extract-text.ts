import type { OrganizationId } from '../../../shared/ids.ts'
import type { Progress } from './pdf/page-notes.ts'
import type { Extracted } from './read-file.ts'
import { ReaderProcess } from './reader-process.ts'

/** These limits keep a file within the Lambda's time-out, and both processes within its memory. */
export const readerLimits = { seconds: 40, secondsInAll: 240, memoryMb: 1_024 }
const reader = new ReaderProcess(readerLimits)
process.on('exit', () => reader.end())

let previous: Promise<unknown> = Promise.resolve()

/** Reads one file at a time. @throws Unreadable for a fault of the file that no retry can mend; Error for one of ours, after which another attempt may succeed */
export async function extractText(
  file: Buffer,
  fileName: string,
  organizationId: OrganizationId,
  progress?: Progress,
): Promise<Extracted> {
  const turn = previous.then(() => reader.read({ file, fileName }, organizationId, progress))
  previous = turn.catch(() => undefined)
  const { text, notes, pageStarts, sourceType, title } = await turn
  return { text, notes, pageStarts, sourceType, title }
}
