import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory for what the test files of a run share. */
export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'cuecard-tests-'))
  process.env.RUN_DIRECTORY = directory
  return () => rmSync(directory, { recursive: true })
}
