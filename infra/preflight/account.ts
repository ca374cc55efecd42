import * as v from 'valibot'
import { exampleAccount, type StageSettings } from '../aws/stages.ts'
import { type Lambda, lambdas } from '../wiring.ts'
import { type Aws, undefinedIfMissing } from './aws.ts'
import { attempt, error, type Finding, ok, warning } from './finding.ts'

const identity = v.object({ Account: v.string(), Arn: v.string() })
const parameter = v.object({ Parameter: v.object({ Value: v.string() }) })
const stacks = v.object({ Stacks: v.tupleWithRest([v.object({ StackStatus: v.string() })], v.unknown()) })

/** What CDK's templates require of the bootstrap stack. */
const minBootstrapVersion = 6

/** Without credentials that work, the other checks of AWS are skipped. */
export async function checkIdentity(
  aws: Aws,
  stage: string,
  { account, region }: StageSettings,
): Promise<{ hasCredentials: boolean; findings: Finding[] }> {
  const example =
    account === exampleAccount
      ? [error('account', `${stage} names an example: set account and region of the stage in infra/aws/stages.ts`)]
      : []
  let hasCredentials = false
  const found = await attempt('credentials', async () => {
    const { Account, Arn } = v.parse(identity, await aws('sts', 'get-caller-identity'))
    hasCredentials = true
    if (example.length > 0) return []
    return Account === account
      ? [ok('account', `${account} in ${region}, as ${Arn}`)]
      : [
          error(
            'account',
            `the credentials are of ${Account}, but ${stage} is pinned to ${account} (infra/aws/stages.ts)`,
          ),
        ]
  })
  return { hasCredentials, findings: [...example, ...found] }
}

/** Whether the account is ready for a deploy: bootstrap, concurrency, stack. */
export async function checkAccount(aws: Aws, stage: string, settings: StageSettings): Promise<Finding[]> {
  const findings = await Promise.all([
    attempt('bootstrap', () => checkBootstrap(aws, settings)),
    attempt('Lambda concurrency', () => checkConcurrency(aws, stage, settings)),
    attempt(`stack cuecard-${stage}`, () => checkStack(aws, `cuecard-${stage}`)),
  ])
  return findings.flat()
}

async function checkBootstrap(aws: Aws, { account, region }: StageSettings): Promise<Finding[]> {
  const command = `npx cdk bootstrap aws://${account}/${region}`
  const name = '/cdk-bootstrap/hnb659fds/version'
  const found = await aws('ssm', 'get-parameter', '--name', name).catch(undefinedIfMissing)
  if (found === undefined) return [error('bootstrap', `the account and region are not prepared: ${command}`)]
  const version = Number(v.parse(parameter, found).Parameter.Value)
  return version >= minBootstrapVersion
    ? [ok('bootstrap', `version ${version}`)]
    : [error('bootstrap', `version ${version} is too old: ${command}`)]
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

/** Checks the account's quota: what the stage reserves, what others reserve, the workers, and what AWS keeps unreserved. */
async function checkConcurrency(aws: Aws, stage: string, settings: StageSettings): Promise<Finding[]> {
  const subject = 'Lambda concurrency'
  const { reservedConcurrency = {}, embeddingConcurrency, extractionConcurrency } = settings
  const [answer, own] = await Promise.all([
    aws('lambda', 'get-account-settings'),
    Promise.all(Object.keys(reservedConcurrency).map((name) => reservedNow(aws, `cuecard-${stage}-${name}`))),
  ])
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = v.parse(
    accountSettings,
    answer,
  ).AccountLimit
  const reserved = sumOf(Object.values(reservedConcurrency))
  const others = limit - unreserved - sumOf(own)
  const workers = embeddingConcurrency + extractionConcurrency + scheduled
  const needed = reserved + others + workers + minUnreserved
  const figures =
    `${needed} of the account’s ${limit}: the stage reserves ${reserved}, others ${others}, ` +
    `workers and schedules take up to ${workers}, and AWS keeps ${minUnreserved} unreserved`
  if (needed > limit)
    return [
      error(
        subject,
        `${figures}. Request a quota of ${Math.max(1000, needed)} (Service Quotas, Lambda, Concurrent executions), ` +
          'or reserve less in infra/aws/concurrency.ts',
      ),
    ]
  return reserved === 0
    ? [
        warning(
          subject,
          `${figures}. A Lambda that hangs can take the executions of all others: set reservedConcurrency`,
        ),
      ]
    : [ok(subject, figures)]
}

/** Zero for a function that is not there yet. */
async function reservedNow(aws: Aws, name: string): Promise<number> {
  const command = ['get-function-concurrency', '--function-name', name]
  const found = await aws('lambda', ...command).catch(undefinedIfMissing)
  return v.parse(concurrency, found ?? {}).ReservedConcurrentExecutions
}

async function checkStack(aws: Aws, name: string): Promise<Finding[]> {
  const subject = `stack ${name}`
  const found = await aws('cloudformation', 'describe-stacks', '--stack-name', name).catch(undefinedIfMissing)
  if (found === undefined) return [ok(subject, 'not there yet: this is its first deploy')]
  return [stackFinding(subject, v.parse(stacks, found).Stacks[0].StackStatus)]
}

/** @param status https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html */
function stackFinding(subject: string, status: string): Finding {
  if (status === 'ROLLBACK_COMPLETE')
    return error(
      subject,
      'its first deploy failed: take the protection off and delete it (see the runbook, first deploy)',
    )
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return error(subject, 'it cannot roll back: see the runbook, a deploy that cannot roll back')
  if (status === 'REVIEW_IN_PROGRESS')
    return error(subject, `${status}: its first deploy was never begun, and nothing is in it: delete it`)
  if (status.endsWith('IN_PROGRESS')) return error(subject, `${status}: wait for it`)
  if (status.endsWith('_COMPLETE')) return ok(subject, status)
  return error(subject, `${status}: its events say why (aws cloudformation describe-stack-events)`)
}

const certificate = v.object({
  Certificate: v.object({
    Status: v.string(),
    DomainName: v.string(),
    SubjectAlternativeNames: v.optional(v.array(v.string()), []),
  }),
})

/**
 * @param aws undefined where it cannot be asked
 * @param resolve addresses of a name; rejects when it has none
 */
export async function checkSettings(
  aws: Aws | undefined,
  settings: StageSettings,
  resolve: (name: string) => Promise<unknown>,
): Promise<Finding[]> {
  const { alarmAddress, runbookUrl, customDomain } = settings
  return [
    alarmAddress
      ? ok('alarms', `go to ${alarmAddress}`)
      : error('alarms', 'have no recipient: set alarmAddress of the stage in infra/aws/stages.ts'),
    runbookUrl.includes('cuecard.example')
      ? error('runbook', 'alarms link to an example: set runbookUrl in infra/aws/stages.ts')
      : ok('runbook', runbookUrl),
    ...(customDomain ? await checkDomain(aws, customDomain, resolve) : []),
  ]
}

async function checkDomain(
  aws: Aws | undefined,
  { name, certificateArn }: NonNullable<StageSettings['customDomain']>,
  resolve: (name: string) => Promise<unknown>,
): Promise<Finding[]> {
  const [found, dns] = await Promise.all([
    attempt('certificate', async () => {
      if (!aws) return []
      const described = await aws('acm', 'describe-certificate', '--certificate-arn', certificateArn)
      const { Status, DomainName, SubjectAlternativeNames } = v.parse(certificate, described).Certificate
      if (Status !== 'ISSUED') return [error('certificate', `is ${Status}, not ISSUED`)]
      const names = new Set([DomainName, ...SubjectAlternativeNames])
      return names.has(name) || names.has(name.replace(/^[^.]+/, '*'))
        ? [ok('certificate', `issued for ${name}`)]
        : [error('certificate', `is for ${[...names].join(', ')}, not for ${name}`)]
    }),
    resolve(name).then(
      () => ok('DNS', `${name} has a record`),
      () => warning('DNS', `${name} has no record: the output domain-target of the deploy is its target`),
    ),
  ])
  return [...found, dns]
}
