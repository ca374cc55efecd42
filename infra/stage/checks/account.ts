import { DescribeCertificateCommand } from '@aws-sdk/client-acm'
import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand } from '@aws-sdk/client-lambda'
import type { StageSettings } from '../../aws/stages.ts'
import { type Lambda, lambdas } from '../../wiring.ts'
import { type Aws, findStack, identityOf, undefinedIfMissing } from '../aws.ts'
import type { Context } from '../context.ts'
import { type Check, error, type Finding, ok, warning } from './check.ts'
import { checkMail } from './mail.ts'

/** Checks whose faults a person repairs. None reads a secret. */
export function accountChecks(context: Context): Check[] {
  const { aws, stage, settings } = context
  return [
    { subject: 'settings', judge: async () => checkSettings(stage, settings) },
    { subject: 'account', judge: () => checkIdentity(aws, stage, settings) },
    { subject: 'CDK', judge: () => checkBootstrap(aws, settings) },
    { subject: concurrency, judge: () => checkConcurrency(aws, stage, settings) },
    { subject: 'certificate', judge: () => checkCertificate(aws, settings) },
    { subject: 'mail', judge: () => checkMail(context) },
  ]
}

async function checkBootstrap(aws: Aws, { account, region }: StageSettings): Promise<Finding[]> {
  if (await findStack(aws, 'CDKToolkit')) return [ok('CDK', 'is prepared')]
  return [error('CDK', `the account is not prepared: run npx cdk bootstrap aws://${account}/${region} first`)]
}

async function checkIdentity(aws: Aws, stage: string, { account, region }: StageSettings): Promise<Finding[]> {
  const own = await identityOf(aws)
  const wrong = `the credentials belong to ${own.account}, but ${stage} is pinned to ${account} (infra/aws/stages/${stage}.json)`
  return [own.account === account ? ok('account', `${account} in ${region}, as ${own.arn}`) : error('account', wrong)]
}

/** Executions that AWS always keeps unreserved. */
const minUnreserved = 100
/** The number of Lambdas that run one at a time: those with a schedule, and the one that migrates. */
const scheduled = Object.values<Lambda>(lambdas).filter(({ everySeconds }) => everySeconds !== undefined).length + 1

const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)

const concurrency = 'Lambda concurrency'

/** Checks the account's quota against the reservations of the stage and of others, the workers, and AWS's unreserved part. */
async function checkConcurrency(aws: Aws, stage: string, settings: StageSettings): Promise<Finding[]> {
  const { reservedConcurrency = {} } = settings
  const [{ AccountLimit = {} }, own] = await Promise.all([
    aws.lambda.send(new GetAccountSettingsCommand({})),
    Promise.all(Object.keys(reservedConcurrency).map((name) => reservedNow(aws, `cuecard-${stage}-${name}`))),
  ])
  const { ConcurrentExecutions: limit = 0, UnreservedConcurrentExecutions: unreserved = 0 } = AccountLimit
  const reserved = sumOf(Object.values(reservedConcurrency))
  const others = limit - unreserved - sumOf(own)
  const workers = sumOf(Object.values(settings.workers)) + scheduled
  const needed = reserved + others + workers + minUnreserved
  const figures =
    `${needed} of the account’s ${limit}: the stage reserves ${reserved}, others ${others}, ` +
    `workers and schedules take up to ${workers}, and AWS keeps ${minUnreserved} unreserved`
  const quota = `Request a quota of ${Math.max(1000, needed)} (Service Quotas, Lambda, Concurrent executions)`
  const unlimited = 'A Lambda that hangs can take the executions of all others: set reservedConcurrency'
  if (needed > limit) return [error(concurrency, `${figures}. ${quota}, or reserve less in infra/aws/concurrency.ts`)]
  if (reserved === 0) return [warning(concurrency, `${figures}. ${unlimited}`)]
  return [ok(concurrency, figures)]
}

async function reservedNow({ lambda }: Aws, name: string): Promise<number> {
  const found = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName: name })).catch(undefinedIfMissing)
  return found?.ReservedConcurrentExecutions ?? 0
}

function checkSettings(stage: string, settings: StageSettings): Finding[] {
  const { alarmAddress, alarmTopicArn, runbookUrl, mailFrom, keySignIn, oidc } = settings
  const file = `infra/aws/stages/${stage}.json`
  const signIn = [mailFrom && `mail of ${mailFrom}`, oidc?.issuer, keySignIn && 'keys'].filter(Boolean)
  const recipient = alarmTopicArn ?? alarmAddress
  return [
    recipient
      ? ok('alarms', `go to ${recipient}`)
      : error('alarms', `have no recipient: set alarmAddress or alarmTopicArn in ${file}`),
    runbookUrl.includes('cuecard.example')
      ? error('runbook', `alarms link to an example: set runbookUrl in ${file}`)
      : ok('runbook', runbookUrl),
    signIn.length > 0
      ? ok('sign-in', `by ${signIn.join(', ')}`)
      : warning('sign-in', `nobody can sign in to the dashboard: set mailFrom, oidc or keySignIn in ${file}`),
    ...(settings.isBackedUp && !settings.backups ? [warning('backups', `go nowhere: set backups in ${file}`)] : []),
  ]
}

async function checkCertificate(aws: Aws, { customDomain }: StageSettings): Promise<Finding[]> {
  if (!customDomain) return []
  const { name, certificateArn } = customDomain
  const described = await aws.acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn }))
  const { Status, DomainName = '', SubjectAlternativeNames = [] } = described.Certificate ?? {}
  if (Status !== 'ISSUED') return [error('certificate', `is ${Status}, not ISSUED`)]
  const names = new Set([DomainName, ...SubjectAlternativeNames])
  return names.has(name) || names.has(name.replace(/^[^.]+/, '*'))
    ? [ok('certificate', `issued for ${name}`)]
    : [error('certificate', `is for ${[...names].join(', ')}, not for ${name}`)]
}
