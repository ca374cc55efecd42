import { UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation'
import { CommandError } from '../admin/command-error.ts'
import { print } from '../admin/print.ts'
import { sentenceOf } from '../admin/sentence.ts'
import { smoke } from '../smoke/smoke.ts'
import { findStack, outputOf } from './aws.ts'
import { errorsIn, show } from './checks/finding.ts'
import { preflight } from './checks/preflight.ts'
import { type Context, cdkDeploy } from './context.ts'

export interface DeployOptions {
  atOnce?: true
}

/** Checks, deploys, and makes the canary's journey. Migrations run in the deploy. */
export async function deploy(context: Context, { atOnce }: DeployOptions): Promise<void> {
  const { aws, stack, stage, cdk, program, asJson } = context
  const findings = await preflight(context)
  show(program, findings)
  if (errorsIn(findings) > 0) throw new CommandError('not ready: nothing was deployed')
  await makeReady(context)
  const shift = atOnce ? ['--context', 'shift=at-once'] : []
  await cdk([...cdkDeploy, ...shift, stack]).catch(async (error) => {
    throw new CommandError(`${sentenceOf(error)}. ${await adviceFor(context)}`)
  })
  const deployed = await findStack(aws, stack)
  const outputs = Object.fromEntries((deployed?.Outputs ?? []).map((each) => [each.OutputKey!, each.OutputValue]))
  if (!asJson) print(program, outputs, { asJson })
  const tried = await makeJourney(context)
  if (asJson) print(program, { stage, findings, outputs, smoke: tried }, { asJson })
  else program.warn(tried)
}

/** The canary’s journey from here. @returns what it did, in a sentence @throws CommandError */
export async function makeJourney({ aws, stack, stage, secrets, pause, settings }: Context): Promise<string> {
  const baseUrl = outputOf(await findStack(aws, stack), 'base-url')
  const apiKey = (await secrets.read('canary')).value
  if (!baseUrl || !apiKey)
    throw new CommandError(`${stack} has no base URL, or the canary no key: see npm run stage -- status ${stage}`)
  return await smoke({ baseUrl, apiKey, pause: () => pause(500) }).catch((error) => {
    const record = settings.customDomain ? ` (does ${settings.customDomain.name} lead to domaintarget above?)` : ''
    throw new CommandError(`${stack} is deployed, but the canary’s journey fails: ${sentenceOf(error)}${record}`)
  })
}

/** A stack that was never complete holds nothing of value: CDK deletes it and makes it again, once it may. */
async function makeReady({ aws, stack, program }: Context): Promise<void> {
  const status = (await findStack(aws, stack))?.StackStatus ?? ''
  if (status === 'ROLLBACK_COMPLETE') {
    program.warn('The first deploy failed. What it left is removed.')
    const off = { StackName: stack, EnableTerminationProtection: false }
    await aws.stacks.send(new UpdateTerminationProtectionCommand(off))
  }
  if (status === 'UPDATE_ROLLBACK_FAILED')
    throw new CommandError(
      `${stack} could not roll back: aws cloudformation continue-update-rollback --stack-name ${stack}`,
    )
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS')
    throw new CommandError(`another change of ${stack} is under way (${status}): wait for its end`)
}

async function adviceFor({ aws, stack, stage }: Context): Promise<string> {
  const found = await findStack(aws, stack).catch(() => undefined)
  if (found?.StackStatus !== 'ROLLBACK_COMPLETE') return `${stack} is ${found?.StackStatus ?? 'not there'}`
  return `The first deploy was rolled back. Remove the cause; npm run stage -- deploy ${stage} then begins again`
}
