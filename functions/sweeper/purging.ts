/**
 * Deletes batch after batch, each in a transaction of its own, until one is not full. None begins after `maxMilliseconds`: the next
 * sweep continues.
 * @returns how many rows
 */
export async function inBatches(
  { rowsPerBatch, maxMilliseconds }: { rowsPerBatch: number; maxMilliseconds: number },
  purgeBatch: () => Promise<{ numDeletedRows: bigint }>,
): Promise<number> {
  const started = performance.now()
  let purged = 0
  for (;;) {
    const { numDeletedRows } = await purgeBatch()
    purged += Number(numDeletedRows)
    if (numDeletedRows < rowsPerBatch || performance.now() - started > maxMilliseconds) return purged
  }
}
