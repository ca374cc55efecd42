import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escapeIdentifier } from 'pg'
import { withClient } from '../../../infra/postgres-client.ts'

/** A directory that the test files of a run share; its file `databases` names those to drop at the end. */
export default function setup(): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cuecard-tests-'))
  process.env.RUN_DIRECTORY = directory
  mkdirSync(join(directory, 'databases'))
  return async () => {
    for (const name of readdirSync(join(directory, 'databases')))
      await withClient(process.env.DATABASE_URL!, (client) =>
        client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`),
      )
    rmSync(directory, { recursive: true })
  }
}
