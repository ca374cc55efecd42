import { DeleteStackCommand } from '@aws-sdk/client-cloudformation'
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { databaseUsers } from '../wiring.ts'
import { confirm } from './answers.ts'
import { findStack, outputOf } from './aws.ts'
import type { Context } from './context.ts'
import { dropLogins } from './logins.ts'

export interface DestroyOptions {
  /** The stage's name, repeated. */
  yesDestroy?: string
  logins?: true
}

/** Deletes a stage that nothing protects. The database and its data stay. */
export async function destroy(context: Context, { yesDestroy, logins }: DestroyOptions): Promise<void> {
  const { aws, stage, stack, settings, secrets, database, program, terminal, asJson } = context
  const secretsStack = `${stack}-secrets`
  const found = await Promise.all([stack, secretsStack].map((name) => findStack(aws, name)))
  if (settings.terminationProtection || found.some((each) => each?.EnableTerminationProtection))
    throw new CommandError(
      `${stage} is protected: first turn terminationProtection off in infra/aws/stages.ts, and deploy`,
    )
  const ownerUrl = logins && (await secrets.read('database-owner')).value
  if (logins && found[1] && !ownerUrl) throw new CommandError('the secret of the owner is empty: leave out --logins')
  if (yesDestroy === undefined)
    await confirm(terminal, `To delete ${stage}, type its name:`, `--yes-destroy ${stage}`, new RegExp(`^${stage}$`))
  else if (yesDestroy !== stage) throw new CommandError(`--yes-destroy must be ${stage}: nothing was deleted`)
  const bucket = outputOf(found[0], 'files-bucket')
  if (bucket) await emptyBucket(settings.region, bucket)
  if (found[0]) await deleteStack(context, stack)
  if (ownerUrl) for (const lambda of databaseUsers) await dropLogins(database(ownerUrl), lambda)
  if (found[1]) await deleteStack(context, secretsStack)
  const gone = [found[0] && stack, ownerUrl && 'logins', found[1] && secretsStack].filter(Boolean)
  print(program, { stage, deleted: gone }, { asJson })
  program.warn(`The database and infra/aws/stages/${stage}.json are still there.`)
}

/** CloudFormation deletes only empty buckets. */
async function emptyBucket(region: string, Bucket: string): Promise<void> {
  const s3 = new S3Client({ region })
  for (;;) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
    if (Contents.length === 0) return
    const Objects = Contents.map(({ Key }) => ({ Key }))
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
    if (Errors.length > 0)
      throw new CommandError(`${Bucket}: ${Errors[0]!.Key} cannot be deleted: ${Errors[0]!.Message}`)
  }
}

const maxMinutes = 40

async function deleteStack({ aws, program, pause }: Context, name: string): Promise<void> {
  program.warn(`Deleting ${name}`)
  await aws.stacks.send(new DeleteStackCommand({ StackName: name }))
  for (let waited = 0; waited < maxMinutes * 60; waited += 5) {
    const left = await findStack(aws, name)
    if (!left) return
    if (left.StackStatus === 'DELETE_FAILED')
      throw new CommandError(
        `${name} cannot be deleted: ${left.StackStatusReason ?? 'its events say why'}. Then run this again`,
      )
    await pause(5000)
  }
  throw new CommandError(`${name} is not deleted after ${maxMinutes} minutes: its events say why`)
}
