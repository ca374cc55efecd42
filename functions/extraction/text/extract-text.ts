import type { OrganizationId } from '../../../shared/ids.ts'
import type { Extracted } from './read-file.ts'
import { ReaderProcess } from './reader-process.ts'
import { Unreadable } from './unreadable.ts'

export { Unreadable }

/** So that a file is done with within a minute, and both processes stay within a Lambda of 2,048 MB. */
const reader = new ReaderProcess({ seconds: 40, memoryMb: 1_024 })
process.on('exit', () => reader.end())

let previous: Promise<unknown> = Promise.resolve()

/**
 * The text of a document as Markdown, read in a process of the organization's; one file at a time. It has a letter or digit, at most 4 MiB, and
 * no character that the database cannot keep. Its type is told by its content, whatever its name is.
 * @throws Unreadable if the file is at fault for good; its message says what its owner can do
 * @throws Error for any fault of ours: another attempt may succeed
 */
export async function extractText(file: Buffer, fileName: string, organizationId: OrganizationId): Promise<Extracted> {
  const turn = previous.then(() => reader.read({ file, fileName }, organizationId))
  previous = turn.catch(() => undefined)
  const { text, sourceType, title } = await turn
  return { text, sourceType, title }
}
