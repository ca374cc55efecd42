import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { secretNames } from '../../../infra/aws/stages.ts'
import { databaseUsers, statementSeconds } from '../../../infra/wiring.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { useStand } from '../../support/stand/stand.ts'
import { isOnServer } from '../../support/tools/effort.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stand.pool.query('truncate organizations, operator_actions cascade')
})

const create = (args: string[] = [], circumstances?: Parameters<typeof stage.run>[1]) =>
  stage.run(['create', 'prod', ...args], circumstances)
const logins = async () =>
  (await stand.pool.query(`select rolname from pg_roles where rolname ~ '^cuecard_.*_[12]$' order by 1`)).rows.map(
    ({ rolname }) => rolname as string,
  )
const stateOf = (stdout: string, subject: string) =>
  stdout
    .split('\n')
    .find((line) => line.includes(` ${subject} `))
    ?.slice(0, 5)

describe('npm run stage -- create', () => {
  test('makes settings, secrets, logins and the canary, and a second run finds all of it there', async () => {
    const first = await create(['--yes'])
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Done. Next: commit infra/aws/stages/prod.json'),
    })
    expect(JSON.parse(readFileSync(join(stage.directory, 'prod.json'), 'utf8'))).toEqual({
      account: '444455556666',
      region: 'eu-central-1',
      alarmAddress: 'duty@example.org',
      databaseHost: new URL(stage.ownerUrl()).hostname,
      runbookUrl: 'https://example.org/runbook.md',
      provider: { baseUrl: stage.provider.baseUrl, model: 'fake' },
      mailFrom: 'Cuecard <hello@example.org>',
    })
    expect([...stage.aws.secrets.keys()].toSorted()).toEqual(
      secretNames
        .filter((name) => !/^(previous-provider|oidc)$/.test(name))
        .map(stage.secretId)
        .toSorted(),
    )
    expect(await logins()).toEqual(databaseUsers.map((name) => `cuecard_${name}_1`).toSorted())
    const { rows } = await stand.pool.query(
      `select setting from pg_db_role_setting, unnest(setconfig) setting where setrole = 'cuecard_search_1'::regrole order by 1`,
    )
    expect(rows.map(({ setting }) => setting)).toEqual([
      'idle_in_transaction_session_timeout=10s',
      `statement_timeout=${statementSeconds.search}s`,
    ])
    const kept = new Map(stage.aws.secrets)
    const again = await create(['--yes'], { env: {} })
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Done.') })
    expect(again.stdout).not.toContain('to do')
    expect(stage.aws.secrets).toEqual(kept)
  })

  test('replaces secrets that do not work, and keeps the others', async () => {
    await create(['--yes'])
    const [search, chunks] = [stage.secret('database-search'), stage.secret('database-chunks')]
    await stand.pool.query('alter role cuecard_search_1 nologin password null')
    stage.aws.secrets.set('cuecard/prod/canary', undefined)
    const { code, stdout } = await create(['--yes'], { env: {} })
    expect(code).toBe(0)
    expect(stdout.match(/to do .*/g)).toEqual([
      expect.stringMatching(/database-search +a login with a new password/),
      expect.stringMatching(/canary/),
    ])
    expect(stage.secret('database-search')).not.toBe(search)
    expect(stage.secret('database-chunks')).toBe(chunks)
    expect((await create(['--dry-run'], { env: {} })).stdout).not.toContain('to do')
    const keys = await stand.pool.query('select from api_keys where revoked_at is null')
    expect(keys.rowCount).toBe(1)
  })

  test('makes every login again where the secret of the owner is of another database', async () => {
    await create(['--yes'])
    const restored = new URL(stage.ownerUrl())
    const name = `restored_${process.pid}`
    restored.pathname = `/${name}`
    stage.aws.secrets.set('cuecard/prod/database-owner', restored.href)
    if (isOnServer) await stand.pool.query(`create database ${name}`)
    const { stdout } = await create(['--dry-run'], { env: {} })
    if (isOnServer) await stand.pool.query(`drop database ${name} with (force)`)
    expect(stdout.match(/to do +database-\w+/g)).toEqual(databaseUsers.map((name) => expect.stringContaining(name)))
  })

  test('shows in a dry run what it would do, and does nothing', async () => {
    const { code, stdout } = await create(['--dry-run'])
    expect(code).toBe(0)
    for (const subject of ['settings', 'secrets', 'database-owner', 'database-search', 'canary'])
      expect(stateOf(stdout, subject), subject).toBe('to do')
    expect(stateOf(stdout, 'schema')).toBe('there')
    expect(await logins()).toEqual([])
    expect(stage.aws.secrets.size).toBe(0)
  })

  test('takes secrets from a terminal, and shows none that is typed', async () => {
    const { OWNER_URL, PROVIDER_KEY, ...env } = stage.answers()
    const { code, stderr } = await create([], { env, typed: [OWNER_URL, PROVIDER_KEY, 'yes'] })
    expect(stderr).toContain('Go ahead?')
    expect({ code, owner: stage.secret('database-owner') }).toEqual({ code: 0, owner: OWNER_URL })
  })

  test('names everything missing or wrong at once, first settings, then secrets', async () => {
    const env = {
      RUNBOOK_URL: 'http://example.org',
      DOMAIN: 'example',
      BACKUP_TO: 's3://backups',
      MAIL_FROM: 'Cuecard',
      OIDC_ISSUER: 'http://accounts.example.org',
    }
    expect(await create(['--yes'], { env })).toMatchObject({
      code: 1,
      stderr:
        'error: set in the environment or in the file of --answers: ALARM_ADDRESS (for alarms) must be a mail address; ' +
        'RUNBOOK_URL (where your team reads infra/runbook, for links in alarms) must begin with https://; ' +
        'DOMAIN (of the API) must be a name such as api.example.com; ' +
        'CERTIFICATE_ARN (of the domain) must be the ARN of a certificate in ACM; ' +
        'BACKUP_RECIPIENT (of the backups) must be the public key that npm run backup -- key prints; ' +
        'MAIL_FROM (of the dashboard’s mails) must be a mail address, or Name <address>; ' +
        'OIDC_ISSUER (of the accounts that people sign in with) must begin with https://; ' +
        'OIDC_CLIENT_ID (of Cuecard, at that issuer) must not be empty; ' +
        'OWNER_URL, which is secret, unless you type it; PROVIDER_KEY, which is secret, unless you type it; ' +
        'OIDC_CLIENT_SECRET, which is secret, unless you type it\n',
    })
    await create(['--yes'])
    stage.aws.secrets.set(stage.secretId('provider'), 'sk-revoked')
    stage.aws.secrets.set('cuecard/prod/database-owner', undefined)
    expect(await create(['--yes'], { env: {} })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /error +provider: .*401.*\nerror: .*--answers: OWNER_URL \(direct URL .*; PROVIDER_KEY \(API key for .*\n$/,
      ),
    })
  })

  test('does nothing without confirmation', async () => {
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining('pass --yes') })
    expect(stage.aws.secrets.size).toBe(0)
  })

  test('takes answers from standard input, and shows a first organization’s key once or writes it to a file', async () => {
    const { OWNER_URL, PROVIDER_KEY, ...env } = stage.answers()
    const stdin = `OWNER_URL=${OWNER_URL}\nPROVIDER_KEY=${PROVIDER_KEY}\nORGANIZATION=Lighthouse Inn\n`
    const keyFile = join(stage.directory, 'key')
    const { code, stdout } = await create(['--yes', '--json', '--answers', '-', '--key-file', keyFile], { env, stdin })
    expect(code).toBe(0)
    const { organization } = JSON.parse(stdout)
    const key = readFileSync(keyFile, 'utf8').trim()
    expect(stdout).not.toContain(key)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    const listed = await stand.http('GET', '/v1/agents', undefined, { 'x-api-key': key })
    expect(listed.body.data).toMatchObject([{ id: organization.agent_id, name: 'Front desk' }])
    expect(await create(['--yes', '--key-file', keyFile])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists'),
    })
  })
})

describe('create ends with one sentence and changes nothing', () => {
  const pooled = 'ep-cool-1-pooler.eu-central-1.aws.neon.tech'
  const wrong = (change: Record<string, string>) => ({ env: { ...stage.answers(), ...change } })
  const wrongUrl = (change: Partial<URL>) => wrong({ OWNER_URL: Object.assign(new URL(stage.ownerUrl()), change).href })

  test.each<[string, () => Parameters<typeof stage.run>[1], RegExp]>([
    ['a URL that is none', () => wrong({ OWNER_URL: 'nonsense' }), /OWNER_URL: is not a postgresql:\/\/ URL/],
    ['a wrong password', () => wrongUrl({ password: 'wrong' }), /OWNER_URL: .*password authentication failed/],
    ['Neon’s pooled host', () => wrongUrl({ hostname: pooled }), /OWNER_URL: names Neon’s pooled host/],
    ['a key that the provider rejects', () => wrong({ PROVIDER_KEY: 'sk-bad' }), /PROVIDER_KEY: .*401/],
  ])('for %s', async (_, circumstances, sentence) => {
    await expectNothingDone(circumstances(), sentence)
  })

  test.each<[string, (server: (string | null)[], extensions: unknown[]) => unknown, RegExp]>([
    ['an old PostgreSQL', (server) => server.splice(0, 1, '150018'), /PostgreSQL: 15, but 17 or later/],
    ['a server without pgvector', (_, extensions) => extensions.splice(0), /pgvector: the server does not have it/],
    ['an owner that may make no roles', (server) => server.splice(2, 1, 'f'), /may not create roles/],
  ])('for %s', async (_, amend, sentence) => {
    stage.proxy.amend = (results) => {
      if (results[0]?.[0]?.length === 4) amend(results[0][0], results[1]!)
    }
    await expectNothingDone(undefined, sentence)
  })

  test('for an account that is not ready, except that the sentences are a list', async () => {
    stage.aws.stacks.clear()
    stage.aws.limit = { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 }
    const { code, stderr } = await create(['--yes'])
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(/^warning +backups: /),
        expect.stringMatching(/^error +CDK: .*run npx cdk bootstrap aws:\/\/444455556666\/eu-central-1 first/),
        expect.stringMatching(/^error +Lambda concurrency: /),
        'error: not ready: nothing was done',
      ],
    })
    expect([stage.aws.secrets.size, await logins()]).toEqual([0, []])
  })

  async function expectNothingDone(circumstances: Parameters<typeof stage.run>[1], sentence: RegExp) {
    const { code, stderr } = await create(['--yes'], circumstances)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) })
    expect([stage.aws.secrets.size, await logins()]).toEqual([0, []])
  }
})
