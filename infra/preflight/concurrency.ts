import * as v from 'valibot'
import type { StageSettings } from '../aws/stages.ts'
import { type Lambda, lambdas } from '../wiring.ts'
import { type Aws, undefinedIfMissing } from './aws.ts'
import { error, type Finding, ok, warning } from './finding.ts'

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
export async function checkConcurrency(aws: Aws, stage: string, settings: StageSettings): Promise<Finding[]> {
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
