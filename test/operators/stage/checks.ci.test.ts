import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { readStageFile, type StageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import { exampleStages, type SecretName, secretNames } from '../../../infra/aws/stages.ts'
import type { Finding } from '../../../infra/stage/checks/check.ts'
import { judgeValue } from '../../../infra/stage/checks/stage.ts'
import { lambdas } from '../../../infra/wiring.ts'
import { newKey } from '../../../shared/http/api-keys.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { listen } from '../../support/http/loopback.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stage.clear()
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
})

function keep(values: Partial<Record<SecretName, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) stage.aws.secrets.set(stage.secretId(name as SecretName), value)
}

async function look(changed: Partial<StageFile> = {}): Promise<Finding[]> {
  const backups = { to: 's3://backups/prod', recipient: 'age1' }
  const file = readStageFile(stage.directory, 'prod')!
  await writeStageFile(stage.directory, 'prod', { ...file, backups, ...changed })
  const { stdout } = await stage.run(['status', 'prod', '--secrets', '--json'])
  return JSON.parse(stdout).findings
}

const faultsOf = (findings: Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, subject, detail }) => `${level} ${subject}: ${detail}`)

describe('npm run stage -- status --secrets', () => {
  test('finds nothing wrong after create', async () => {
    const findings = await look()
    expect(faultsOf(findings)).toEqual([])
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        ...secretNames.filter((name) => !/^(previous-provider|oidc)$/.test(name)),
        'account',
        'Lambda concurrency',
        'pgvector',
      ]),
    )
  })

  test('reports everything at once, errors last', async () => {
    keep({ 'database-search': undefined, 'database-chunks': 'not a URL', provider: 'sk-bad', canary: newKey() })
    stage.aws.limit = { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 }
    stage.aws.stacks.delete('CDKToolkit')
    const { runbookUrl } = exampleStages.prod
    expect(faultsOf(await look({ account: '777788889999', alarmAddress: undefined as never, runbookUrl }))).toEqual([
      expect.stringMatching(/^error alarms: have no recipient/),
      expect.stringMatching(/^error runbook: /),
      'error account: the credentials belong to 444455556666, but prod is pinned to 777788889999 (infra/aws/stages/prod.json)',
      expect.stringMatching(/^error CDK: .*run npx cdk bootstrap/),
      expect.stringMatching(/^error Lambda concurrency: \d+ of the account’s 10: .* Request a quota of 1000/),
      expect.stringMatching(/^error provider: .*401/),
      'error database-chunks: is not a postgresql:// URL',
      'error database-search: the secret cuecard/prod/database-search is missing or empty: npm run stage -- create prod',
      expect.stringMatching(/^error canary: its secret is not an API key of the canary/),
    ])
  })

  test('warns of a stage that nobody can sign in to', async () => {
    const mailFrom = undefined as never
    expect(faultsOf(await look({ mailFrom }))).toEqual([
      'warning sign-in: nobody can sign in to the dashboard: set mailFrom, oidc or keySignIn in infra/aws/stages/prod.json',
    ])
    expect(faultsOf(await look({ mailFrom, keySignIn: true }))).toEqual([])
  })

  test('tries the client secret at the issuer', async () => {
    const asked: string[] = []
    const metadata = { issuer: '', token_endpoint: '' }
    const issuer = await listen(({ url, headers }, response) => {
      if (url === '/.well-known/openid-configuration') return response.end(JSON.stringify(metadata))
      const credentials = Buffer.from(String(headers.authorization).replace('Basic ', ''), 'base64').toString()
      asked.push(credentials)
      response.end(
        JSON.stringify({ error: credentials === 'cue%20card:s%3Acret' ? 'invalid_grant' : 'invalid_client' }),
      )
    })
    Object.assign(metadata, { issuer: issuer.origin, token_endpoint: `${issuer.origin}/token` })
    const context = { settings: { ...exampleStages.prod, oidc: { issuer: issuer.origin, clientId: 'cue card' } } }
    const faultsWith = async (secret: string) => faultsOf(await judgeValue(context as never, 'oidc', secret))
    expect(await faultsWith('s:cret')).toEqual([])
    expect(await faultsWith('other')).toEqual([`error oidc: ${issuer.origin} refuses the client secret of cue card`])
    metadata.issuer = `${issuer.origin}/`
    expect(await faultsWith('s:cret')).toEqual([
      `error oidc: ${issuer.origin} calls itself ${issuer.origin}/: set oidc.issuer to that`,
    ])
    await issuer.close()
    expect(asked).toHaveLength(2)
  })

  test('rejects a secret under a key that the stage does not name, since no Lambda could read it', async () => {
    const secretsKeyArn = 'arn:aws:kms:eu-central-1:444455556666:key/1234abcd'
    stage.aws.secretKeys.set('cuecard/prod/database-search', secretsKeyArn)
    stage.aws.secretKeys.set('cuecard/prod/canary', '1234abcd')
    expect(faultsOf(await look())).toEqual([
      expect.stringMatching(
        /^error database-search: is encrypted with arn:.*secretsKeyArn in infra\/aws\/stages\/prod\.json$/,
      ),
      expect.stringMatching(/^error canary: is encrypted with 1234abcd/),
    ])
    expect(faultsOf(await look({ secretsKeyArn }))).toEqual([])
  })

  test('asks for no key of a provider where the stage has the encoder', async () => {
    stage.aws.secrets.delete(stage.secretId('provider'))
    const findings = await look({ provider: 'encoder' })
    expect(faultsOf(findings)).toEqual([])
  })

  test('counts the executions of the stage, of others, of its workers and of AWS’s reserve', async () => {
    const account = async (ConcurrentExecutions: number, others: number, own?: number) => {
      stage.aws.limit = { ConcurrentExecutions, UnreservedConcurrentExecutions: ConcurrentExecutions - others }
      stage.aws.reserved = own
      return faultsOf(await look())
    }
    // Lambdas with a schedule, and the one that migrates.
    const scheduled = Object.values(lambdas).filter((lambda) => 'everySeconds' in lambda).length + 1
    const reserved = Object.values(exampleStages.prod.reservedConcurrency).reduce((sum, count) => sum + count, 0)
    const { embedding, extraction, crawler } = exampleStages.prod.workers
    const workers = embedding + extraction + crawler + scheduled
    const enough = reserved + 68 + workers + 100
    expect(await account(enough, 68)).toEqual([])
    expect(await account(enough - 1, 68)).toEqual([
      `error Lambda concurrency: ${enough} of the account’s ${enough - 1}: the stage reserves ${reserved}, others 68, workers and schedules take up to ` +
        `${workers}, and AWS keeps 100 unreserved. Request a quota of 1000 (Service Quotas, Lambda, Concurrent executions), or reserve ` +
        'less in infra/aws/concurrency.ts',
    ])
    // The stage's own reservations, here nine of ten each, do not count as others'.
    expect(await account(enough, 68 + 90, 10)).toEqual([])
  })

  test('rejects a login that may do more than its Lambda, and names one without a limit', async () => {
    const login = sql.id('cuecard_documents_1')
    const database = sql.id(new URL(process.env.DATABASE_URL!).pathname.slice(1))
    await sql`grant cuecard_sweeper to ${login}`.execute(stand.db)
    await sql`alter role ${login} bypassrls`.execute(stand.db)
    await sql`alter role ${login} reset statement_timeout`.execute(stand.db)
    await sql`grant temporary on database ${database} to ${login}`.execute(stand.db)
    keep({ 'database-search': stage.secret('database-agents') })
    const faults = faultsOf(await look())
    await sql`revoke temporary on database ${database} from ${login}`.execute(stand.db)
    expect(faults).toEqual([
      'warning database-documents: cuecard_documents_1 has no statement_timeout',
      expect.stringMatching(/^error database-documents: .* bypasses row-level security/),
      expect.stringMatching(/^error database-documents: .* may make temporary tables/),
      'error database-documents: cuecard_documents_1 must be a member of cuecard_documents only; it is a member of cuecard_documents, cuecard_sweeper',
      'error database-search: cuecard_agents_1 must be a member of cuecard_search only; it is a member of cuecard_agents',
    ])
  })

  test('shows no secret, whatever is wrong with one', async () => {
    const password = 'hunter2hunter2'
    keep({ 'database-owner': `postgres://${password}@`, provider: password })
    expect(faultsOf(await look())).toEqual([
      expect.stringMatching(/^error database-owner: /),
      expect.stringMatching(/^error provider: .*401/),
    ])
  })

  test('warns of mails that SES does not send: of an address without an identity, in the sandbox, or stopped', async () => {
    stage.aws.mailIdentities.set('example.org', false)
    Object.assign(stage.aws.mail, {
      ProductionAccessEnabled: false,
      SendingEnabled: false,
      EnforcementStatus: 'PROBATION',
    })
    expect(faultsOf(await look({ mailFrom: 'Cuecard <hello@mail.example.org>' }))).toEqual([
      'warning mail: SES has verified none of hello@mail.example.org, mail.example.org, example.org in eu-central-1',
      'warning mail: SES’s sandbox reaches only verified addresses: request production access',
      'warning mail: SES has stopped the account’s mails (PROBATION)',
    ])
    Object.assign(stage.aws.mail, { ProductionAccessEnabled: true, SendingEnabled: true })
    stage.aws.mailIdentities.set('example.org', true)
    const found = await look()
    expect(found).toContainEqual({ level: 'ok', subject: 'mail', detail: 'from example.org' })
    const created = await stage.run(['create', 'prod', '--yes'], { env: {} })
    expect(created.stderr).not.toMatch(/ mail: /)
    stage.aws.mailIdentities.clear()
    const warned = await stage.run(['create', 'prod', '--yes'], { env: {} })
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning +mail: SES has verified none/m) })
  })

  test('looks at the certificate of a domain', async () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/c'
    const customDomain = { name: 'api.example.org', certificateArn }
    const faultsWith = async (certificate: object) => {
      stage.aws.certificate = certificate
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
})
