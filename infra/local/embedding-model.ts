import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../shared/database/database.ts'
import { restart } from '../../shared/documents/transitions.ts'
import { ignoreMissing } from '../error-message.ts'

/**
 * Vectors of two models cannot be compared: if the model is not that of the last start, all documents but those of callers' own chunks
 * are processed again, which keeps vectors that the model made. @returns how many documents
 */
export async function followModel(db: Database, dataDir: string, model: string): Promise<number> {
  const file = join(dataDir, 'embedding-model')
  if ((await readFile(file, 'utf8').catch(ignoreMissing)) === model) return 0
  const { numUpdatedRows } = await db
    .updateTable('documents as d')
    .set(restart({}))
    .where('d.managed_by', '=', 'service')
    .where('d.status', '=', 'completed')
    .executeTakeFirst()
  await writeFile(file, model, { mode: 0o600 })
  return Number(numUpdatedRows)
}
