import type { OurDatabase } from './server.ts'

export interface Wal {
  bytes: number
  /** The bytes of full-page images, which the first change of a page after a checkpoint writes. */
  pageImages: number
}

/** Sees the records of one database; without the extension pg_walinspect, those of the whole server. */
export async function openWal(
  db: OurDatabase,
): Promise<{ isExact: boolean; of(act: () => Promise<unknown>): Promise<Wal> }> {
  const isExact = await db.query('create extension if not exists pg_walinspect').then(
    () => true,
    () => false,
  )
  const position = async () => (await db.query('select pg_current_wal_flush_lsn()::text as at'))[0]!.at!
  return {
    isExact,
    async of(act) {
      // Each measurement begins with the same pages to write as images: all.
      await db.query('checkpoint')
      const from = await position()
      await act()
      const to = await position()
      const [row] = await db.query(isExact ? ownRecords : anyRecords, [from, to])
      return { bytes: Number(row!.bytes), pageImages: Number(row!.images) }
    },
  }
}

const ownRecords = `
  with records as (
    select start_lsn, min(record_length) as bytes, sum(block_fpi_length) as images
    from pg_get_wal_block_info($1, $2)
    where reldatabase = (select oid from pg_database where datname = current_database())
    group by start_lsn
  ) select coalesce(sum(bytes), 0) as bytes, coalesce(sum(images), 0) as images from records`

const anyRecords = 'select pg_wal_lsn_diff($2, $1) as bytes, 0 as images'
