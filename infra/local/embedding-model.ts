import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
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
  let restarted = 0
  for (let count = documentsPerStep; count === documentsPerStep; restarted += count) count = await restartSome(db)
  await writeFile(file, model, { mode: 0o600 })
  return restarted
}

const documentsPerStep = 1000

/** The pipeline's limit is for callers: an organization may have more documents. */
async function restartSome(db: Database): Promise<number> {
  const { restarted } = await db.batch({
    unlimited: sql`alter table documents disable trigger limit_restarted_documents`,
    restarted: db
      .updateTable('documents as d')
      .set(restart({}))
      .where('d.id', 'in', (some) =>
        some
          .selectFrom('documents')
          .select('id')
          .where('managed_by', '=', 'service')
          .where('status', '=', 'completed')
          .limit(documentsPerStep),
      )
      .returning('d.id'),
    limited: sql`alter table documents enable trigger limit_restarted_documents`,
  })
  return restarted.length
}
