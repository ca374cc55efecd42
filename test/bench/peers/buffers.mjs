import pg from 'pg'

/** Buffers that the selects of `act` touch: they are caught on their way to the server, and run again under EXPLAIN. */
export async function buffersOf(pool, act) {
  const caught = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (text, values, ...rest) {
    if (typeof text === 'string' && /^\s*(select|with)\b/i.test(text) && Array.isArray(values))
      caught.push({ text, values })
    return query.call(this, text, values, ...rest)
  }
  try {
    await act()
  } finally {
    pg.Client.prototype.query = query
  }
  let buffers = 0
  for (const { text, values } of caught) {
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
    const [{ Plan: plan }] = rows[0]['QUERY PLAN']
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return buffers
}
