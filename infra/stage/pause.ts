import {
  DeleteFunctionConcurrencyCommand,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import { print } from '../command-line/print.ts'
import { aliasName, type Lambda, type LambdaName, lambdaNames, lambdas, queues } from '../wiring.ts'
import type { Context } from './context.ts'

/** The longest time that a run continues after its stage is paused. */
export const secondsToEnd = Math.max(...Object.values<Lambda>(lambdas).map(({ timeoutSeconds }) => timeoutSeconds))

export async function pause(context: Context): Promise<void> {
  await stop(context)
  print(context.program, { stage: context.stage, paused: true }, context)
  context.program.warn(`Current runs end within ${secondsToEnd / 60} minutes.`)
}

export async function resume(context: Context): Promise<void> {
  await start(context)
  print(context.program, { stage: context.stage, paused: false }, context)
}

/** Stops every Lambda, so that nothing reads or writes the database. Requests get 503, and messages wait in their queues. */
export async function stop(context: Context): Promise<void> {
  // Comes first, so that no message is delivered in vain and becomes a dead letter.
  await enableQueues(context, false)
  for (const name of lambdaNames) await reserve(context, name, 0)
}

export async function start(context: Context): Promise<void> {
  const { reservedConcurrency } = context.settings
  for (const name of lambdaNames) await reserve(context, name, reservedConcurrency?.[name])
  await enableQueues(context, true)
}

async function reserve({ aws, stack }: Context, name: LambdaName, executions: number | undefined): Promise<void> {
  const FunctionName = `${stack}-${name}`
  if (executions === undefined) await aws.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
  else
    await aws.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: executions }))
}

async function enableQueues({ aws, stack }: Context, Enabled: boolean): Promise<void> {
  for (const name of Object.keys(queues)) {
    const FunctionName = `${stack}-${name}:${aliasName}`
    const { EventSourceMappings = [] } = await aws.lambda.send(new ListEventSourceMappingsCommand({ FunctionName }))
    for (const { UUID } of EventSourceMappings)
      await aws.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }))
  }
}
