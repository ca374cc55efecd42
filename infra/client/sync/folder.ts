import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../command-line/command-error.ts'
import { messageOf } from '../../error-message.ts'

export interface Folder {
  /** Relative paths with forward slashes. */
  files: string[]
  /** Files and folders that are not read, each with the reason. */
  leftOut: { path: string; reason: string }[]
}

/** The formats that are synchronised. */
export const extension = /\.(md|markdown|txt|csv|html?)$/i

/** @throws CommandError if the folder, or one in it, cannot be read */
export async function walk(root: string): Promise<Folder> {
  if (!(await stat(root).catch(() => undefined))?.isDirectory()) throw new CommandError(`${root} is not a folder`)
  const found: Folder = { files: [], leftOut: [] }
  await walkInto(root, '', found)
  return found
}

async function walkInto(root: string, folder: string, found: Folder): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: Error) => {
    throw new CommandError(`cannot read ${join(root, folder)}: ${messageOf(error)}`)
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    const leaveOut = (reason: string) => found.leftOut.push({ path, reason })
    if (entry.name.startsWith('.')) leaveOut('it is hidden')
    else if (entry.isSymbolicLink()) leaveOut('it is a link')
    else if (entry.isDirectory()) await walkInto(root, path, found)
    else if (!extension.test(path)) leaveOut('only Markdown, text, CSV and HTML are synchronised')
    else if (entry.isFile()) found.files.push(path)
  }
}
