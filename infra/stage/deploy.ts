import { UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation'
import type { Journey } from '../../functions/canary/canary.ts'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { sentenceOf } from '../command-line/sentence.ts'
import { migrationNames } from '../migrations/migrate.ts'
import { aliasName, databaseUsers } from '../wiring.ts'
import { findStack, invoke, outputOf } from './aws.ts'
import { accountChecks } from './checks/account.ts'
import { errorsIn, findingsOf, judgeAll, show, toWarning } from './checks/check.ts'
import { inspect } from './checks/inspection.ts'
import { describedChecks, stackCheck } from './checks/stage.ts'
import { type Context, cdkDeploy } from './context.ts'

export interface DeployOptions {
  atOnce?: true
}

/**
 * Checks, deploys, and runs the canary's journey. Migrations run in the deploy and make missing logins. If the deployed release has all of
 * this one's, as in a rollback, the database stops nothing, and with `atOnce` no code of that release runs.
 */
export async function deploy(context: Context, { atOnce }: DeployOptions): Promise<void> {
  const { aws, stack, stage, cdk, program, asJson } = context
  const migrated = outputOf(await findStack(aws, stack), 'migrated')?.split(' ') ?? []
  const added = [...migrationNames, ...databaseUsers].filter((name) => !migrated.includes(name))
  const isMigrated = added.length === 0
  const inspected = atOnce && isMigrated ? [] : (await inspect(context)).findings
  const database = { subject: 'database', judge: async () => (isMigrated ? inspected.map(toWarning) : inspected) }
  const findings = await judgeAll([...accountChecks(context), ...describedChecks(context), database])
  show(program, findings)
  if (errorsIn(findings).length > 0) throw new CommandError('not ready: nothing was deployed')
  await makeReady(context)
  const shift = atOnce ? ['--context', 'shift=at-once'] : []
  // What a release drops stays in the database, for a rollback to the one before it.
  const kept = migrated.length > 0 ? ['--context', `migrated=${[...migrated, ...added].join(' ')}`] : []
  await cdk([...cdkDeploy, ...shift, ...kept, stack]).catch(async (error) => {
    throw new CommandError(`${sentenceOf(error)}. ${await adviceFor(context)}`)
  })
  const deployed = await findStack(aws, stack)
  const addresses = (deployed?.Outputs ?? []).filter(({ OutputKey }) => OutputKey !== 'migrated')
  const outputs = Object.fromEntries(addresses.map((each) => [each.OutputKey!, each.OutputValue]))
  if (!asJson) print(program, outputs, { asJson })
  const tried = await makeJourney(context)
  if (asJson) print(program, { stage, findings, outputs, canary: tried }, { asJson })
  else program.warn(tried)
}

/** Runs the canary's journey over the stage’s public address. @returns a sentence about it @throws CommandError */
export async function makeJourney({ aws, stack, settings }: Context): Promise<string> {
  const journey = (await invoke(aws, `${stack}-canary:${aliasName}`)) as Journey | undefined
  if (!journey) throw new CommandError(`${stack} has no canary: is it deployed?`)
  const { failure, milliseconds } = journey
  const record = settings.customDomain ? ` (does ${settings.customDomain.name} lead to domaintarget above?)` : ''
  if (failure) throw new CommandError(`${stack} is deployed, but the canary’s journey fails: ${failure}${record}`)
  const { create = 0, complete = 0, search = 0 } = milliseconds
  return `A document was found ${((create + complete + search) / 1000).toFixed(1)} s after it was created, and deleted.`
}

/**
 * Lets CDK delete a stack that was never complete, which holds nothing of value, and make it again. Makes the secret of a Lambda that
 * this release adds; the Lambda that migrates makes its login.
 */
async function makeReady(context: Context): Promise<void> {
  const { aws, stack, program } = context
  const status = (await findStack(aws, stack))?.StackStatus ?? ''
  if (status === 'ROLLBACK_COMPLETE') {
    program.warn('The first deploy failed. Its resources are removed.')
    const off = { StackName: stack, EnableTerminationProtection: false }
    await aws.stacks.send(new UpdateTerminationProtectionCommand(off))
  }
  if (status === 'UPDATE_ROLLBACK_FAILED')
    throw new CommandError(
      `${stack} could not roll back: aws cloudformation continue-update-rollback --stack-name ${stack}`,
    )
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS')
    throw new CommandError(`another change of ${stack} is in progress (${status}): wait until it ends`)
  const secrets = stackCheck(context)
  if ((await findingsOf(secrets)).some(({ level }) => level !== 'ok')) await secrets.repair.run()
}

async function adviceFor({ aws, stack, stage }: Context): Promise<string> {
  const found = await findStack(aws, stack).catch(() => undefined)
  if (found?.StackStatus !== 'ROLLBACK_COMPLETE') return `${stack} is ${found?.StackStatus ?? 'missing'}`
  return `The first deploy was rolled back. Remove the cause, then run npm run stage -- deploy ${stage} again`
}
