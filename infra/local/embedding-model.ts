import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../shared/database/database.ts'
import { configuredEmbedder, defaultModel } from '../../shared/embedding/configured-embedder.ts'
import { assumedModel } from '../../shared/embedding/serving-embedder.ts'
import { changeModels } from '../embedding-models.ts'
import { ignoreMissing } from '../error-message.ts'

const names = ['BASE_URL', 'MODEL', 'API_KEY', 'QUERY_PREFIX', 'DOCUMENT_PREFIX']

/** Settings' values, by their names without `EMBEDDING_`. */
type Settings = Record<string, string>

interface Remembered {
  current: Settings
  previous?: Settings | undefined
}

/**
 * Stores the settings of the embedding model in the directory, keys included. Uses those of an earlier start's model as
 * `PREVIOUS_EMBEDDING_…`, unless these are set. Agents with another model begin to change. @returns their number
 */
export async function followModel(db: Database, dataDir: string): Promise<number> {
  const { env } = process
  const file = join(dataDir, 'embedding-model')
  const current = Object.fromEntries(
    names.flatMap((name) => (env[`EMBEDDING_${name}`] ? [[name, env[`EMBEDDING_${name}`]!]] : [])),
  )
  current.MODEL ??= current.BASE_URL ? defaultModel : 'lexical'
  const before = parse(await readFile(file, 'utf8').catch(ignoreMissing), current)
  const previous = before && identityOf(before.current) !== identityOf(current) ? before.current : before?.previous
  if (previous && !env.PREVIOUS_EMBEDDING_MODEL)
    for (const [name, value] of Object.entries(previous)) env[`PREVIOUS_EMBEDDING_${name}`] = value
  await writeFile(file, JSON.stringify({ current, previous } satisfies Remembered), { mode: 0o600 })
  const embedder = configuredEmbedder()
  return await changeModels(db, embedder.model, assumedModel(embedder))
}

/** Settings that make two vectors comparable. The same model may move to another address, with another key. */
function identityOf({ BASE_URL, MODEL, QUERY_PREFIX, DOCUMENT_PREFIX }: Settings): string {
  return JSON.stringify([BASE_URL !== undefined, MODEL, QUERY_PREFIX, DOCUMENT_PREFIX])
}

/** Also reads the file of an older stand, which has only the model's name. */
function parse(text: string | undefined, current: Settings): Remembered | undefined {
  if (!text) return undefined
  if (text.startsWith('{')) return JSON.parse(text)
  const own = /^(encoder|lexical)-/.exec(text)?.[1]
  return { current: own ? { MODEL: own } : { ...current, MODEL: text } }
}
