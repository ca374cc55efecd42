import type { RawBuilder } from 'kysely'
import { afterEach, expect } from 'vitest'
import { useFaultyConnection } from '../support/database/faulty-connection.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import type { TestDocument } from '../support/documents/documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker, type WorkerOptions } from '../support/stand/worker.ts'

export const cutsWhileOpen = ['before', 'after', 'within'] as const
export const cuts = ['unopened', ...cutsWhileOpen] as const

/** The body of an upload of one chunk. */
export const upload = (index: number) => ({
  chunks: [{ content: `Uploaded ${index}.`, chunk_index: index, embedding: [...vectorOf(`${index}`)] }],
})
export const trimmed = (found: { content: string }[]) => found.map(({ content }) => content.trim())

/** A stand, a provider and a connection for races, each of which must leave no stray rows. */
export function useRaces() {
  const provider = useFakeProvider()
  const stand = useStand()
  const connection = useFaultyConnection()
  afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))
  return {
    provider,
    stand,
    connection,
    rowsOf: async <T>(query: RawBuilder<T>) => (await query.execute(stand.db)).rows,
    contents: async (tenant: Tenant, { path }: TestDocument) =>
      trimmed((await tenant.call('GET', `${path}/chunks?limit=100`)).body.data),
    work: (documents: TestDocument[], options?: WorkerOptions) => newWorker(stand, provider, options)(documents),
  }
}
