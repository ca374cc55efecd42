import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Program } from '../../../infra/admin/terminal.ts'
import { exampleStages, type SecretName, type StageSettings, secretNames } from '../../../infra/aws/stages.ts'
import type { Finding } from '../../../infra/stage/checks/finding.ts'
import { byLevel, checkKeys, preflight } from '../../../infra/stage/checks/preflight.ts'
import { contextOf } from '../../../infra/stage/context.ts'
import { lambdas } from '../../../infra/wiring.ts'
import { newKey } from '../../../shared/http/api-keys.ts'
import { newId } from '../../../shared/ids.ts'
import { startAwsServices } from '../../support/aws-services.ts'
import { collector } from '../../support/command-line.ts'
import { startKeyedProvider } from '../../support/keyed-provider.ts'
import { migrateLambdaOf } from '../../support/stage.ts'
import { useStand } from '../../support/stand.ts'

const stand = useStand()
let provider: Awaited<ReturnType<typeof startKeyedProvider>>
let aws: Awaited<ReturnType<typeof startAwsServices>>
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

beforeEach(async () => {
  aws = await startAwsServices()
  const env = { AWS_ENDPOINT_URL: aws.origin, AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'x' }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  keep(secrets())
  aws.lambdas.set(
    'cuecard-prod-migrate',
    await migrateLambdaOf({ aws, proxy: { origin: process.env.DATABASE_ENDPOINT! } }),
  )
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await aws.close()
})

const suffix = newId().slice(-8)
const lambdaSecrets = secretNames.filter((name) => name.startsWith('database-') && name !== 'database-owner')

async function createLogin(role: string, name = `${role}_${suffix}`): Promise<string> {
  await sql`create role ${sql.id(name)} login password ${sql.lit(passwordOfStand())} in role ${sql.id(role)}`.execute(
    stand.db,
  )
  logins.push(name)
  await sql`alter role ${sql.id(name)} set statement_timeout = '12s'`.execute(stand.db)
  return urlOf(name)
}

const passwordOfStand = () => new URL(process.env.DATABASE_URL!).password

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

function keep(values: Partial<Record<SecretName, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) aws.secrets.set(`cuecard/prod/${name}`, value)
}

async function look(changed: Partial<StageSettings> = {}) {
  const settings: StageSettings = {
    ...exampleStages.prod,
    ...{ account: '444455556666', alarmAddress: 'duty@example.org', runbookUrl: 'https://example.org/runbook.md' },
    provider: { baseUrl: provider.baseUrl, model: 'fake' },
    backups: { to: 's3://backups/prod', recipient: 'age1' },
    ...changed,
  }
  const { DATABASE_ENDPOINT } = process.env
  const terminal = {
    ...{ env: { DATABASE_ENDPOINT }, stdin: Readable.from(['']), stdout: collector(), stderr: collector() },
    ...{ person: 'ada', signal: new AbortController().signal },
  }
  const nothing = () => Promise.reject(new Error('the preflight only looks'))
  const surroundings = { terminal, cdk: nothing, pause: nothing, directory: '/nowhere' }
  const context = contextOf(surroundings, new Program('test', terminal), 'prod', settings)
  return byLevel([...(await preflight(context)), ...(await checkKeys(context))])
}

const faultsOf = (findings: Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, subject, detail }) => `${level} ${subject}: ${detail}`)

describe('the preflight', () => {
  test('finds nothing wrong where the runbook was followed, and touches nothing', async () => {
    const findings = await look()
    expect(faultsOf(findings)).toEqual([])
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        ...secretNames.filter((name) => name !== 'previous-provider'),
        'account',
        'Lambda concurrency',
        'pgvector',
      ]),
    )
  })

  test('says all at once, the errors last', async () => {
    const wrong = { 'database-search': undefined, 'database-chunks': 'not a URL', provider: 'sk-bad', canary: 'cue_' }
    keep(wrong)
    aws.limit = { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 }
    const { account, runbookUrl } = exampleStages.prod
    const findings = await look({ account, alarmAddress: undefined as never, runbookUrl })
    const faults = faultsOf(findings)
    for (const fault of [
      /^error account: the credentials are of 444455556666/,
      /^error Lambda concurrency: \d+ of the account’s 10: .* Request a quota of 1000/,
      /^error alarms: have no recipient/,
      /^error runbook: /,
      /^error database-search: the secret cuecard\/prod\/database-search is empty/,
      /^error database-chunks: is not a postgresql:\/\/ URL/,
      /^error provider: .*401/,
      /^error canary: the secret cuecard\/prod\/canary is not an API key/,
    ])
      expect(faults.filter((found) => fault.test(found))).toHaveLength(1)
    expect(faults).toHaveLength(8)
    const levels = findings.map(({ level }) => level)
    expect(levels).toEqual(levels.toSorted((a, b) => Number(a === 'error') - Number(b === 'error')))
  })

  test('rejects a secret under a key that the stage does not name, since no Lambda could read it', async () => {
    const secretsKeyArn = 'arn:aws:kms:eu-central-1:444455556666:key/1234abcd'
    aws.secretKeys.set('cuecard/prod/database-search', secretsKeyArn)
    aws.secretKeys.set('cuecard/prod/canary', '1234abcd')
    expect(faultsOf(await look())).toEqual([
      expect.stringMatching(
        /^error database-search: is encrypted with arn:.*secretsKeyArn in infra\/aws\/stages\/prod\.json$/,
      ),
      expect.stringMatching(/^error canary: is encrypted with 1234abcd/),
    ])
    expect(faultsOf(await look({ secretsKeyArn }))).toEqual([])
  })

  test('asks for no key of a provider where the stage has the encoder', async () => {
    aws.secrets.delete('cuecard/prod/provider')
    const findings = await look({ provider: 'encoder' })
    expect(faultsOf(findings)).toEqual([])
  })

  test('counts what the stage reserves, what others have, what its workers take and what AWS keeps', async () => {
    const account = async (ConcurrentExecutions: number, others: number, own?: number) => {
      aws.limit = { ConcurrentExecutions, UnreservedConcurrentExecutions: ConcurrentExecutions - others }
      aws.reserved = own
      return faultsOf(await look())
    }
    // Those with a schedule, and what migrates.
    const scheduled = Object.values(lambdas).filter((lambda) => 'everySeconds' in lambda).length + 1
    const reserved = Object.values(exampleStages.prod.reservedConcurrency).reduce((sum, count) => sum + count, 0)
    const { embeddingConcurrency, extractionConcurrency, crawlerConcurrency } = exampleStages.prod
    const workers = embeddingConcurrency + extractionConcurrency + crawlerConcurrency + scheduled
    const enough = reserved + 68 + workers + 100
    expect(await account(enough, 68)).toEqual([])
    expect(await account(enough - 1, 68)).toEqual([
      `error Lambda concurrency: ${enough} of the account’s ${enough - 1}: the stage reserves ${reserved}, others 68, workers and schedules take up to ` +
        `${workers}, and AWS keeps 100 unreserved. Request a quota of 1000 (Service Quotas, Lambda, Concurrent executions), or reserve ` +
        'less in infra/aws/concurrency.ts',
    ])
    // What the stage has reserved already, nine of ten here, is not another's.
    expect(await account(enough, 68 + 90, 10)).toEqual([])
  })

  test('warns of a stage that reserves nothing', async () => {
    const findings = await look({ reservedConcurrency: undefined as never })
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
    keep({ 'database-documents': url, 'database-search': urlOf(`cuecard_agents_${suffix}`) })
    const faults = faultsOf(await look())
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
    keep({ 'database-owner': `postgres://${password}@`, provider: password })
    const findings = await look({ account: '777788889999' })
    const pinned =
      'the credentials are of 444455556666, but prod is pinned to 777788889999 (infra/aws/stages/prod.json)'
    expect(faultsOf(findings)).toContain(`error account: ${pinned}`)
    expect(JSON.stringify(findings)).not.toContain(password)
  })

  test('looks at the certificate of a domain', async () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/c'
    const customDomain = { name: 'api.example.org', certificateArn }
    const faultsWith = async (certificate: object) => {
      aws.certificate = certificate
      return faultsOf(await look({ customDomain }))
    }
    const issued = { DomainName: 'example.org', SubjectAlternativeNames: ['*.example.org'], Status: 'ISSUED' }
    expect(await faultsWith(issued)).toEqual([])
    expect(await faultsWith({ DomainName: 'example.com', Status: 'ISSUED' })).toEqual([
      'error certificate: is for example.com, not for api.example.org',
    ])
    expect(await faultsWith({ DomainName: 'api.example.org', Status: 'PENDING_VALIDATION' })).toEqual([
      'error certificate: is PENDING_VALIDATION, not ISSUED',
    ])
  })

  test('says once that there are no credentials, and checks what needs none', async () => {
    aws.denied.add('sts:GetCallerIdentity')
    expect(faultsOf(await look({ alarmAddress: undefined as never }))).toEqual([
      expect.stringMatching(/^error alarms: have no recipient/),
      expect.stringMatching(/^error credentials: .* is not authorized to perform: sts:GetCallerIdentity/),
      expect.stringMatching(/^error AWS: its checks were skipped/),
    ])
  })
})
