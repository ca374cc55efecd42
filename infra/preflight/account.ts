import * as v from 'valibot'
import { exampleAccount, type StageSettings } from '../aws/stages.ts'
import { type Lambda, lambdas } from '../wiring.ts'
import { type Aws, undefinedIfMissing } from './aws.ts'
import { error, type Finding, ok, warning } from './finding.ts'

const identity = v.object({ Account: v.string(), Arn: v.string() })
export async function checkIdentity(aws: Aws, stage: string, { account, region }: StageSettings): Promise<Finding[]> {
  const { Account, Arn } = v.parse(identity, await aws('sts', 'get-caller-identity'))
  if (account === exampleAccount) return []
  const wrong = `the credentials are of ${Account}, but ${stage} is pinned to ${account} (infra/aws/stages.ts)`
  return [Account === account ? ok('account', `${account} in ${region}, as ${Arn}`) : error('account', wrong)]
}

const accountSettings = v.object({
  AccountLimit: v.object({ ConcurrentExecutions: v.number(), UnreservedConcurrentExecutions: v.number() }),
})
const concurrency = v.object({ ReservedConcurrentExecutions: v.optional(v.number(), 0) })

/** Executions that AWS lets nobody reserve. */
const minUnreserved = 100
/** Lambdas that run one at a time: those with a schedule, and the one that migrates. */
const scheduled = Object.values<Lambda>(lambdas).filter(({ everySeconds }) => everySeconds !== undefined).length + 1

const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)

export const concurrencySubject = 'Lambda concurrency'

/** Checks the account's quota: what the stage reserves, what others reserve, the workers, and what AWS keeps unreserved. */
export async function checkConcurrency(aws: Aws, stage: string, settings: StageSettings): Promise<Finding[]> {
  const { reservedConcurrency = {}, embeddingConcurrency, extractionConcurrency } = settings
  const [answer, own] = await Promise.all([
    aws('lambda', 'get-account-settings'),
    Promise.all(Object.keys(reservedConcurrency).map((name) => reservedNow(aws, `cuecard-${stage}-${name}`))),
  ])
  const { AccountLimit } = v.parse(accountSettings, answer)
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit
  const reserved = sumOf(Object.values(reservedConcurrency))
  const others = limit - unreserved - sumOf(own)
  const workers = embeddingConcurrency + extractionConcurrency + scheduled
  const needed = reserved + others + workers + minUnreserved
  const figures =
    `${needed} of the account’s ${limit}: the stage reserves ${reserved}, others ${others}, ` +
    `workers and schedules take up to ${workers}, and AWS keeps ${minUnreserved} unreserved`
  const quota = `Request a quota of ${Math.max(1000, needed)} (Service Quotas, Lambda, Concurrent executions)`
  const unlimited = 'A Lambda that hangs can take the executions of all others: set reservedConcurrency'
  if (needed > limit)
    return [error(concurrencySubject, `${figures}. ${quota}, or reserve less in infra/aws/concurrency.ts`)]
  if (reserved === 0) return [warning(concurrencySubject, `${figures}. ${unlimited}`)]
  return [ok(concurrencySubject, figures)]
}

async function reservedNow(aws: Aws, name: string): Promise<number> {
  const command = ['get-function-concurrency', '--function-name', name]
  const found = await aws('lambda', ...command).catch(undefinedIfMissing)
  return v.parse(concurrency, found ?? {}).ReservedConcurrentExecutions
}

const certificate = v.object({
  Certificate: v.object({
    Status: v.string(),
    DomainName: v.string(),
    SubjectAlternativeNames: v.optional(v.array(v.string()), []),
  }),
})

export function checkSettings(stage: string, { account, alarmAddress, runbookUrl }: StageSettings): Finding[] {
  const example = `${stage} names an example: set account and region of the stage in infra/aws/stages.ts`
  return [
    ...(account === exampleAccount ? [error('account', example)] : []),
    alarmAddress
      ? ok('alarms', `go to ${alarmAddress}`)
      : error('alarms', 'have no recipient: set alarmAddress of the stage in infra/aws/stages.ts'),
    runbookUrl.includes('cuecard.example')
      ? error('runbook', 'alarms link to an example: set runbookUrl in infra/aws/stages.ts')
      : ok('runbook', runbookUrl),
  ]
}

export async function checkCertificate(aws: Aws, { customDomain }: StageSettings): Promise<Finding[]> {
  if (!customDomain) return []
  const { name, certificateArn } = customDomain
  const described = await aws('acm', 'describe-certificate', '--certificate-arn', certificateArn)
  const { Status, DomainName, SubjectAlternativeNames } = v.parse(certificate, described).Certificate
  if (Status !== 'ISSUED') return [error('certificate', `is ${Status}, not ISSUED`)]
  const names = new Set([DomainName, ...SubjectAlternativeNames])
  return names.has(name) || names.has(name.replace(/^[^.]+/, '*'))
    ? [ok('certificate', `issued for ${name}`)]
    : [error('certificate', `is for ${[...names].join(', ')}, not for ${name}`)]
}
