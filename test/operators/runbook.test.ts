import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { urlOfRole } from '../../infra/postgres-url.ts'
import { ownSurroundings } from '../../infra/stage/context.ts'
import { runStage } from '../../infra/stage/program.ts'
import { newId } from '../../shared/ids.ts'
import { createDocument } from '../support/documents/documents.ts'
import { useStand } from '../support/stand/stand.ts'
import { collector, cuecard } from '../support/tools/command-line.ts'

const stand = useStand()
const infra = join(import.meta.dirname, '../../infra')
const pages = globSync(['README.md', 'runbook/*.md'], { cwd: infra }).map((page) =>
  readFileSync(join(infra, page), 'utf8'),
)

interface Session {
  url: 'OWNER' | 'OPERATOR'
  statement: string
}

// The shell prints psql's arguments. All other commands in the blocks do nothing.
const prelude = `
psql() { printf '%s<next>' "$@"; printf '<end>'; }
aws() { :; }
npm() { :; }
npx() { :; }
git() { :; }
`
const variables = { OWNER_URL: 'OWNER', OPERATOR_URL: 'OPERATOR' }

const sessions = pages
  .flatMap((page) => [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, , block]) => block!))
  .filter((block) => block.includes('psql "$'))
  .flatMap(sessionsOf)

test.each(sessions)('the runbook’s SQL runs as $url: $statement', async ({ url, statement }) => {
  const client = await stand.pool.connect()
  try {
    await client.query('begin')
    if (url === 'OPERATOR') await client.query('set local role cuecard_operator')
    await client.query(statement)
  } finally {
    await client.query('rollback')
    client.release()
  }
})

const commands = [
  ...new Set(
    pages.flatMap((page) => [...page.matchAll(/npx cuecard ([a-z][^`\n#<>|]*)/g)].map(([, args]) => args!.trim())),
  ),
]

test.each(commands)('the runbook’s command runs: npx cuecard %s', async (command) => {
  const tenant = await stand.tenant()
  const { id: keyId } = (
    await sql<{ id: string }>`select id from api_keys where organization_id = ${tenant.organizationId}`.execute(
      stand.db,
    )
  ).rows[0]!
  const known: Record<string, string> = {
    ORGANIZATION_ID: tenant.organizationId,
    DOCUMENT_ID: (await createDocument(tenant, 'Open on Sundays.')).id,
    KEY_ID: keyId,
    'Example Ltd': 'Test',
  }
  // Erasing then need not wait until no instance accepts the organization's keys.
  if (command.includes('organization delete'))
    await sql`update api_keys set revoked_at = now() - interval '1 minute' where organization_id = ${tenant.organizationId}`.execute(
      stand.db,
    )
  const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => known[quoted ?? plain!] ?? quoted ?? plain!,
  )
  const { queueUrl } = stand.emulator.queues.embedding
  const env = {
    DATABASE_URL: urlOfRole(process.env.DATABASE_URL!, 'cuecard_operator'),
    DATABASE_ENDPOINT: process.env.DATABASE_ENDPOINT!,
    QUEUE_URL: queueUrl,
    DEAD_LETTER_QUEUE_URL: `${queueUrl}-dead-letters`,
  }
  const { code, stderr } = await cuecard(args, { env, stdin: '{"data": []}' })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
})

const stageCommands = [
  ...new Set(
    pages.flatMap((page) => [...page.matchAll(/npm run stage -- ([a-z][^`\n#<>|]*)/g)].map(([, args]) => args!.trim())),
  ),
]

test.each(stageCommands)('the runbook’s command exists: npm run stage -- %s', async (command) => {
  const [name, ...args] = command.split(/ +/)
  const signal = new AbortController().signal
  const streams = { stdin: Readable.from([]), stdout: collector(), stderr: collector() }
  const terminal = { ...streams, env: {}, person: 'ada', signal }
  const code = await runStage([name!, '--help'], { ...ownSurroundings(terminal), cdk: () => Promise.reject() })
  expect(code).toBe(0)
  const help = terminal.stdout.text()
  for (const option of args.filter((arg) => arg.startsWith('--'))) expect(help).toContain(` ${option}`)
})

test('the page about restoring removes the delete markers of files with spaces and quotes in their names', () => {
  const [, block] = /```sh\n(aws s3api list-object-versions[\s\S]*?)```/.exec(
    readFileSync(join(infra, 'runbook/restore.md'), 'utf8'),
  )!
  // The command line prints a row's fields with tabs between them.
  const aws = `aws() { case "$2" in
    list-object-versions) printf '%s\\t%s\\n' 'o/d/u/Price list.pdf' v1 "o/d/u/Ada's menu \\ \\"new\\".pdf" v2;;
    *) printf '%s<next>' "$@"; printf '<end>';; esac }
`
  const printed = execFileSync('bash', ['--norc', '-c', aws + block], { encoding: 'utf8' })
  const deleted = printed
    .split('<end>')
    .slice(0, -1)
    .map((call) => call.split('<next>').slice(0, -1))
  const of = (key: string, version: string) => [
    ...['s3api', 'delete-object', '--bucket', 'BUCKET'],
    ...['--key', key, '--version-id', version],
  ]
  expect(deleted).toEqual([of('o/d/u/Price list.pdf', 'v1'), of('o/d/u/Ada\'s menu \\ "new".pdf', 'v2')])
})

test('the pages have SQL for the owner and for operators, and commands', () => {
  expect(sessions.map(({ url }) => url).toSorted()).toEqual(expect.arrayContaining(['OWNER', 'OPERATOR']))
  expect(commands.length).toBeGreaterThan(10)
  expect(stageCommands.length).toBeGreaterThan(8)
})

function sessionsOf(block: string): Session[] {
  const printed = execFileSync('bash', ['--norc', '-c', prelude + block], { encoding: 'utf8', env: variables })
  return printed.split('<end>').flatMap((call) => {
    const [url, flag, statement] = call.split('<next>')
    if ((url !== 'OWNER' && url !== 'OPERATOR') || !/^-x?c$/.test(flag!)) return []
    return [{ url, statement: statement!.replaceAll('ORGANIZATION_ID', newId()) }]
  })
}
