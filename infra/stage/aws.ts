import { ACMClient } from '@aws-sdk/client-acm'
import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { type SecretName, type StageSettings, secretIdOf } from '../aws/stages.ts'
import { CommandError } from '../command-line/command-error.ts'

export interface StoredSecret {
  value: string | undefined
  /** The reason why no Lambda can read a value. */
  fault: string | undefined
}

export type Aws = ReturnType<typeof awsClients>

export function awsClients(region: string) {
  const settings = { region, maxAttempts: 5 }
  return {
    acm: new ACMClient(settings),
    stacks: new CloudFormationClient(settings),
    metrics: new CloudWatchClient(settings),
    lambda: new LambdaClient(settings),
    mail: new SESv2Client(settings),
    secrets: new SecretsManagerClient(settings),
    sts: new STSClient(settings),
  }
}

/** The region of the shell or of the profile. @throws CommandError if there is none */
export async function shellRegion(): Promise<string> {
  return await new STSClient({}).config.region().catch(() => {
    throw new CommandError('no region is set: export AWS_REGION=eu-central-1, for example')
  })
}

export async function identityOf({ sts }: Aws): Promise<{ account: string; arn: string }> {
  const { Account = '', Arn = '' } = await sts.send(new GetCallerIdentityCommand({}))
  return { account: Account, arn: Arn }
}

/** Catches AWS's error for a missing resource, or for a secret without a value. */
export function undefinedIfMissing(error: Error): undefined {
  const isMissing = error.name === 'ResourceNotFoundException' || /does not exist/.test(error.message)
  if (!isMissing) throw error
}

/** @returns the Lambda's result; undefined if it is not deployed @throws CommandError with its error */
export async function invoke({ lambda }: Aws, name: string, event: object = {}): Promise<unknown> {
  const call = new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(event)) })
  const answer = await lambda.send(call).catch(undefinedIfMissing)
  if (!answer) return undefined
  const result: unknown = JSON.parse(Buffer.from(answer.Payload ?? []).toString() || 'null')
  if (answer.FunctionError) throw new CommandError(`${name}: ${(result as { errorMessage: string }).errorMessage}`)
  return result
}

export async function findStack({ stacks }: Aws, name: string): Promise<Stack | undefined> {
  const found = await stacks.send(new DescribeStacksCommand({ StackName: name })).catch(undefinedIfMissing)
  return found?.Stacks?.[0]
}

export function outputOf(stack: Stack | undefined, name: string): string | undefined {
  const key = name.replaceAll('-', '')
  return stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue
}

/** Accesses a stage's secrets, by ARN if the stage names one. */
export function secretsOf({ secrets }: Aws, stage: string, settings: StageSettings) {
  const { secretsKeyArn } = settings
  const idOf = (name: SecretName) => secretIdOf(stage, settings, name)
  /** Needs no right to read the secret's value. */
  async function describe(name: SecretName) {
    const id = idOf(name)
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: id })).catch(undefinedIfMissing)
    const hasValue = Object.keys(described?.VersionIdsToStages ?? {}).length > 0
    const { KmsKeyId: key } = described ?? {}
    // KMS may name a key by its id instead of its ARN.
    const isForeign = key && !secretsKeyArn?.endsWith(key)
    const foreign = `is encrypted with ${key}, which no Lambda may use: set secretsKeyArn in infra/aws/stages/${stage}.json`
    const empty = `the secret ${id} is missing or empty: npm run stage -- create ${stage}`
    return { id, exists: described !== undefined, hasValue, fault: isForeign ? foreign : hasValue ? undefined : empty }
  }
  return {
    describe,
    async read(name: SecretName): Promise<StoredSecret> {
      const found = await secrets.send(new GetSecretValueCommand({ SecretId: idOf(name) })).catch(undefinedIfMissing)
      return { ...(await describe(name)), value: found?.SecretString?.trim() || undefined }
    },
    async write(name: SecretName, value: string): Promise<void> {
      await secrets.send(new PutSecretValueCommand({ SecretId: idOf(name), SecretString: value }))
    },
  }
}

export type Secrets = ReturnType<typeof secretsOf>
