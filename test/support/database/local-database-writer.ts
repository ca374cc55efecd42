// A process of its own, to be killed: writes row after row and prints each id once it is acknowledged.
import { neon, neonConfig } from '@neondatabase/serverless'
import { openDatabase } from '../../../infra/local/database/database.ts'

neonConfig.fetchEndpoint = (host, port) => `http://${host}:${port}/sql`
const database = await openDatabase({ dataDir: process.argv[2], image: process.env.DATABASE_IMAGE })
const sql = neon(database.url)
await sql`create table written (id serial primary key, body text)`
for (;;) {
  const [row] = await sql`insert into written (body) values (${'x'.repeat(2000)}) returning id`
  console.log(row?.id)
}
