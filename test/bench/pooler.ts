import { sql } from 'kysely'
import { question, section } from './data/texts.ts'
import { random } from './data/vectors.ts'
import { openCuecard } from './stage/cuecard.ts'
import { openServer } from './stage/server.ts'

/**
 * Searches of 12 logins on the server of DATABASE_URL, through the pooler of DATABASE_POOLER where it is set:
 * `node infra/run.mjs node test/bench/pooler.ts`. Plans are counted where the server has pg_stat_statements with `track_planning` and
 * `track = all`.
 */
const logins = 12
const inFlight = [1, 20, 200]
const searchesPerRun = 240
const topics = 300

function vectorOf(topic: number): Float32Array {
  const next = random(1, topic)
  return Float32Array.from({ length: 1536 }, () => next() / 2 ** 32 - 0.5)
}

const server = await openServer(process.env.DATABASE_URL!)
const cuecard = await openCuecard(server)
const { database, owner } = cuecard
cuecard.prepare(vectorOf)
const agent = await cuecard.agent(await cuecard.organization())
const content = Array.from({ length: topics }, (_, n) => section(1, n)).join('\n\n')
await cuecard.createDocument(cuecard.event('POST', agent.path, agent.key, { title: 'T', content }))
await cuecard.work()
await sql`create extension if not exists pg_stat_statements`.execute(owner)
const password = new URL(database.url).password
const searches: ((each: ReturnType<typeof event>) => Promise<string>)[] = []
// One after the other: idle sessions of the owner would take the logins' places in the proxy's pool.
for (let i = 0; i < logins; i++) {
  const login = `bench_search_${process.pid}_${i}`
  await sql`create role ${sql.id(login)} login password ${sql.lit(password)} in role cuecard_search`.execute(owner)
  searches.push(cuecard.searchAt(database.url, login))
}
const event = (n: number) =>
  cuecard.event('POST', `${agent.path}/search`, agent.key, {
    query: question(1, n % topics),
    embedding: [...vectorOf(n % topics)],
  })
const one = async (text: string) => Number((await database.query(text))[0]!.n)
const sessions = () =>
  one(`select count(*) as n from pg_stat_activity where usename like 'bench_search_${process.pid}_%'`)
const plans = () =>
  one(`select coalesce(sum(plans), 0) as n from pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database())`)
const started = () => one('select sessions as n from pg_stat_database where datname = current_database()')

for (const concurrency of inFlight) {
  const [plansBefore, startedBefore] = [await plans(), await started()]
  const times: number[] = []
  let next = 0
  let most = 0
  let refused = 0
  const watch = setInterval(async () => {
    most = Math.max(most, await sessions())
  }, 50)
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let n = next++; n < searchesPerRun; n = next++) {
        const start = performance.now()
        await searches[n % logins]!(event(n)).then(
          () => times.push(performance.now() - start),
          (error) => ++refused === 1 && console.error(error),
        )
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watch)
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!)
  console.log(
    `${concurrency} in flight: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${Math.round(times.length / seconds)} a second, ${refused} refused, ` +
      `${most} server connections at most, ${(await started()) - startedBefore} opened, ${(await plans()) - plansBefore} plans`,
  )
}
for (let i = 0; i < logins; i++) await sql`drop role ${sql.id(`bench_search_${process.pid}_${i}`)}`.execute(owner)
await cuecard.close()
