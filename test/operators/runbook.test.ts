import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
const suffix = newId().slice(-8)

interface Session {
  url: 'OWNER' | 'OPERATOR'
  statements: string[]
}

// The shell itself says what psql would get. Everything else that the blocks call does nothing.
const prelude = `
psql() {
  printf '%s<next>' "$@"
  case " $* " in *' -c '* | *' -xc '*) ;; *) cat ;; esac
  printf '<end>'
}
aws() { :; }
node() { cat >/dev/null; }
npm() { :; }
npx() { :; }
openssl() { echo secret; }
`
const variables = { OWNER_URL: 'OWNER', OPERATOR_URL: 'OPERATOR', from: '1', to: '2', person: 'ada' }

const sessions = [...runbook().matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)]
  .map(([, , block]) => block!)
  .filter((block) => block.includes('psql "$'))
  .flatMap(sessionsOf)

test.each(sessions)('the runbook’s SQL runs as $url: $statements.0', async ({ url, statements }) => {
  const client = await stand.pool.connect()
  try {
    await client.query('begin')
    for (const role of rolesMissingIn(statements)) await client.query(`create role ${role} login`)
    if (url === 'OPERATOR') await client.query('set local role cuecard_operator')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('SQL is found for the owner and for operators', () => {
  const urls = sessions.map(({ url }) => url)
  expect(urls.filter((url) => url === 'OWNER').length).toBeGreaterThan(5)
  expect(urls.filter((url) => url === 'OPERATOR').length).toBeGreaterThan(2)
})

function sessionsOf(block: string): Session[] {
  const script = prelude + block.replaceAll('NAMES_OF_THE_LAMBDAS', 'documents')
  const printed = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: variables, input: '' })
  return printed.split('<end>').flatMap((call) => {
    const [url, ...args] = call.split('<next>')
    if (url !== 'OWNER' && url !== 'OPERATOR') return []
    const given = args.filter((_, index) => /^-x?c$/.test(args[index - 1] ?? ''))
    const piped = args.at(-1)!.split(/;\n/).filter(Boolean)
    return { url, statements: (given.length > 0 ? given : piped).map(toRunnable) }
  })
}

/** Roles are of the whole server, so those of the page get names of this run. */
function toRunnable(statement: string): string {
  return statement
    .replaceAll(/\bcuecard_\w+_(1|2|ada)\b/g, (role) => `${role}_${suffix}`)
    .replaceAll(`:'password'`, `'secret'`)
    .replaceAll('ORGANIZATION_ID', newId())
}

function rolesMissingIn(statements: string[]): string[] {
  const named = (verbs: string) =>
    statements.flatMap((statement) =>
      [...statement.matchAll(new RegExp(`(?:${verbs}) role (\\w+)`, 'g'))].map(([, role]) => role!),
    )
  const created = named('create')
  return [...new Set(named('alter|drop'))].filter((role) => !created.includes(role))
}

function runbook(): string {
  return readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8')
}
