import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SecretName, type StageSettings, secretNames, stages } from '../../infra/aws/stages.ts'
import { type Aws, awsCommand } from '../../infra/preflight/aws.ts'
import type { Finding } from '../../infra/preflight/finding.ts'
import { preflight } from '../../infra/preflight/preflight.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { newId } from '../../shared/ids.ts'
import { startKeyedProvider } from '../support/keyed-provider.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
let provider: Awaited<ReturnType<typeof startKeyedProvider>>
const logins: string[] = []

beforeAll(async () => {
  provider = await startKeyedProvider()
  provider.keys.add('sk-good')
  for (const name of lambdaSecrets) await createLogin(`cuecard_${name.replace('database-', '')}`)
})
afterAll(async () => {
  for (const login of logins) await sql`drop role ${sql.id(login)}`.execute(stand.db)
  await provider.close()
})

const suffix = newId().slice(-8)
const lambdaSecrets = secretNames.filter((name) => name.startsWith('database-') && name !== 'database-owner')

async function createLogin(role: string, name = `${role}_${suffix}`): Promise<string> {
  await sql`create role ${sql.id(name)} login in role ${sql.id(role)}`.execute(stand.db)
  logins.push(name)
  await sql`alter role ${sql.id(name)} set statement_timeout = '12s'`.execute(stand.db)
  return urlOf(name)
}

function urlOf(login: string): string {
  const url = new URL(process.env.DATABASE_URL!)
  url.username = login
  return url.href
}

/** Every secret as the runbook fills it. */
function secrets(): Record<SecretName, string | undefined> {
  const urls = lambdaSecrets.map((name) => [name, urlOf(`cuecard_${name.replace('database-', '')}_${suffix}`)])
  return {
    ...Object.fromEntries(urls),
    'database-owner': process.env.DATABASE_URL,
    provider: 'sk-good\n',
    canary: newKey(),
  }
}

const failure = (code: string) => new Error(`aws ended with 254: An error occurred (${code})`)

/** As the command answers and fails, in the shapes of AWS's documentation. */
function fakeAws({ kept = secrets(), answers = {} as Record<string, unknown> } = {}): Aws {
  const known: Record<string, unknown> = {
    'sts get-caller-identity': { UserId: 'AIDA', Account: '444455556666', Arn: 'arn:aws:iam::444455556666:user/ada' },
    'lambda get-account-settings': {
      AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 },
    },
    'lambda get-function-concurrency': failure('ResourceNotFoundException'),
    ...answers,
  }
  return async (service, operation, ...rest) => {
    await Promise.resolve()
    if (operation === 'get-secret-value') {
      const name = rest[1]!.split('/').at(-1) as SecretName
      const SecretString = kept[name]
      if (SecretString === undefined) throw failure('ResourceNotFoundException')
      return { SecretString }
    }
    const answer = known[`${service} ${operation}`]
    if (answer === undefined) throw new Error(`unexpected: aws ${service} ${operation}`)
    if (answer instanceof Error) throw answer
    return answer
  }
}

function look(aws: Aws, changed: Partial<StageSettings> = {}) {
  const settings = {
    ...stages.prod,
    ...{ account: '444455556666', alarmAddress: 'duty@example.org', runbookUrl: 'https://example.org/runbook.md' },
    provider: { baseUrl: provider.baseUrl, model: 'fake' },
    ...changed,
  }
  return preflight('prod', settings, { aws, databaseEndpoint: process.env.DATABASE_ENDPOINT })
}

const faultsOf = (findings: Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, subject, detail }) => `${level} ${subject}: ${detail}`)

describe('the preflight', () => {
  test('finds nothing wrong where the runbook was followed, and touches nothing', async () => {
    const findings = await look(fakeAws())
    expect(faultsOf(findings)).toEqual([])
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([...secretNames, 'account', 'Lambda concurrency', 'pgvector', 'migrations']),
    )
  })

  test('says all at once, the errors last', async () => {
    const wrong = { 'database-search': undefined, 'database-chunks': 'not a URL', provider: 'sk-bad', canary: 'cue_' }
    const kept = { ...secrets(), ...wrong }
    const answers = {
      'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } },
    }
    const { account, runbookUrl } = stages.prod
    const changed = { account, alarmAddress: undefined as never, runbookUrl }
    const findings = await look(fakeAws({ kept, answers }), changed)
    const faults = faultsOf(findings)
    for (const fault of [
      /^error account: prod names an example/,
      /^error Lambda concurrency: 433 of the account’s 10: .* Request a quota of 1000/,
      /^error alarms: have no recipient/,
      /^error runbook: /,
      /^error database-search: the secret cuecard\/prod\/database-search is missing or empty/,
      /^error database-chunks: .* is not a postgresql:\/\/ URL/,
      /^error provider: .*401/,
      /^error canary: the secret cuecard\/prod\/canary is not an API key/,
    ])
      expect(faults.filter((found) => fault.test(found))).toHaveLength(1)
    expect(faults).toHaveLength(8)
    const levels = findings.map(({ level }) => level)
    expect(levels).toEqual(levels.toSorted((a, b) => Number(a === 'error') - Number(b === 'error')))
  })

  test('asks for no key of a provider where the stage has the encoder', async () => {
    const findings = await look(fakeAws({ kept: { ...secrets(), provider: undefined } }), { provider: 'encoder' })
    expect(faultsOf(findings)).toEqual([])
  })

  test('counts what the stage reserves, what others have, what its workers take and what AWS keeps', async () => {
    const account = (ConcurrentExecutions: number, others: number, own = 0) => {
      const AccountLimit = { ConcurrentExecutions, UnreservedConcurrentExecutions: ConcurrentExecutions - others }
      const concurrency = own ? { ReservedConcurrentExecutions: own } : {}
      const limits = { 'lambda get-account-settings': { AccountLimit }, 'lambda get-function-concurrency': concurrency }
      return fakeAws({ answers: limits })
    }
    // The sweeper, the canary, and what migrates.
    const scheduled = 3
    const reserved = Object.values(stages.prod.reservedConcurrency).reduce((sum, count) => sum + count, 0)
    const workers = stages.prod.embeddingConcurrency + stages.prod.extractionConcurrency + scheduled
    const enough = reserved + 68 + workers + 100
    expect(faultsOf(await look(account(enough, 68)))).toEqual([])
    expect(faultsOf(await look(account(enough - 1, 68)))).toEqual([
      `error Lambda concurrency: ${enough} of the account’s ${enough - 1}: the stage reserves ${reserved}, others 68, workers and schedules take up to ` +
        `${workers}, and AWS keeps 100 unreserved. Request a quota of 1000 (Service Quotas, Lambda, Concurrent executions), or reserve ` +
        'less in infra/aws/concurrency.ts',
    ])
    // What the stage has reserved already, nine of ten here, is not another's.
    expect(faultsOf(await look(account(enough, 68 + 90, 10)))).toEqual([])
  })

  test('warns of a stage that reserves nothing', async () => {
    const findings = await look(fakeAws(), { reservedConcurrency: undefined as never })
    expect(faultsOf(findings)).toEqual([expect.stringMatching(/^warning Lambda concurrency: .*A Lambda that hangs/)])
  })

  test('rejects a login that may do more than its Lambda, and names one without a limit', async () => {
    const wide = `wide_${suffix}`
    const url = await createLogin('cuecard_sweeper', wide)
    await sql`grant cuecard_documents to ${sql.id(wide)}`.execute(stand.db)
    await sql`alter role ${sql.id(wide)} bypassrls`.execute(stand.db)
    await sql`alter role ${sql.id(wide)} reset statement_timeout`.execute(stand.db)
    const database = new URL(process.env.DATABASE_URL!).pathname.slice(1)
    await sql`grant temporary on database ${sql.id(database)} to ${sql.id(wide)}`.execute(stand.db)
    const kept = { ...secrets(), 'database-documents': url, 'database-search': urlOf(`cuecard_agents_${suffix}`) }
    const faults = faultsOf(await look(fakeAws({ kept })))
    await sql`revoke temporary on database ${sql.id(database)} from ${sql.id(wide)}`.execute(stand.db)
    expect(faults).toEqual([
      `warning database-documents: ${wide} has no statement_timeout`,
      expect.stringMatching(/^error database-documents: .* bypasses row-level security/),
      expect.stringMatching(/^error database-documents: .* may make temporary tables/),
      `error database-documents: ${wide} must be a member of cuecard_documents only; it is a member of cuecard_documents, cuecard_sweeper`,
      `error database-search: cuecard_agents_${suffix} must be a member of cuecard_search only; it is a member of cuecard_agents`,
    ])
  })

  test('rejects credentials of another account, and shows no secret, whatever is wrong with one', async () => {
    const password = 'hunter2hunter2'
    const kept = { ...secrets(), 'database-owner': `postgres://${password}@`, provider: password }
    const findings = await look(fakeAws({ kept }), { account: '777788889999' })
    const pinned = 'the credentials are of 444455556666, but prod is pinned to 777788889999 (infra/aws/stages.ts)'
    expect(faultsOf(findings)).toContain(`error account: ${pinned}`)
    expect(JSON.stringify(findings)).not.toContain(password)
  })

  test('looks at the certificate of a domain', async () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/c'
    const customDomain = { name: 'api.example.org', certificateArn }
    const describe = (Certificate: object) => fakeAws({ answers: { 'acm describe-certificate': { Certificate } } })
    const issued = { DomainName: 'example.org', SubjectAlternativeNames: ['*.example.org'], Status: 'ISSUED' }
    expect(faultsOf(await look(describe(issued), { customDomain }))).toEqual([])
    const other = { DomainName: 'example.com', Status: 'ISSUED' }
    expect(faultsOf(await look(describe(other), { customDomain }))).toEqual([
      'error certificate: is for example.com, not for api.example.org',
    ])
    const pending = { DomainName: 'api.example.org', Status: 'PENDING_VALIDATION' }
    expect(faultsOf(await look(describe(pending), { customDomain }))).toEqual([
      'error certificate: is PENDING_VALIDATION, not ISSUED',
    ])
  })
})

test('AWS is asked in the region of the stage, whatever the shell is set to', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cuecard-aws-'))
  writeFileSync(join(directory, 'aws'), `#!/bin/sh\nprintf '{"arguments": "%s"}' "$*"\n`, { mode: 0o755 })
  const path = process.env.PATH
  process.env.PATH = `${directory}:${path}`
  try {
    expect(await awsCommand('eu-west-1')('sts', 'get-caller-identity')).toEqual({
      arguments: 'sts get-caller-identity --region eu-west-1 --output json',
    })
  } finally {
    process.env.PATH = path
    rmSync(directory, { recursive: true })
  }
})

test('npm run preflight fails with every reason where the command aws is missing', () => {
  const main = join(import.meta.dirname, '../../infra/preflight/main.ts')
  const run = spawnSync(process.execPath, [main, 'prod'], { encoding: 'utf8', env: { PATH: '/nowhere' } })
  expect(run.status).toBe(1)
  for (const fault of ['account: prod names an example', 'credentials: cannot run aws: ', 'alarms: have no recipient'])
    expect(`\n${run.stdout}`.split(`\nerror    ${fault}`), fault).toHaveLength(2)
  expect(run.stdout.match(/cannot run aws/g)).toHaveLength(1)
  expect(run.stdout).toMatch(/\nNot ready: \d+ errors\.\n$/)
})
