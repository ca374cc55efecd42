import { ACMClient } from '@aws-sdk/client-acm'
import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { LambdaClient } from '@aws-sdk/client-lambda'
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { CommandError } from '../admin/command-error.ts'
import type { SecretName, StageSettings } from '../aws/stages.ts'

export type Aws = ReturnType<typeof awsClients>

export function awsClients(region: string) {
  const settings = { region, maxAttempts: 5 }
  return {
    acm: new ACMClient(settings),
    stacks: new CloudFormationClient(settings),
    metrics: new CloudWatchClient(settings),
    lambda: new LambdaClient(settings),
    secrets: new SecretsManagerClient(settings),
    sts: new STSClient(settings),
  }
}

/** The region of the shell or of the profile. @throws CommandError when there is none */
export async function shellRegion(): Promise<string> {
  return await new STSClient({}).config.region().catch(() => {
    throw new CommandError('no region is set: export AWS_REGION=eu-central-1, for example')
  })
}

export async function identityOf({ sts }: Aws): Promise<{ account: string; arn: string }> {
  const { Account = '', Arn = '' } = await sts.send(new GetCallerIdentityCommand({}))
  return { account: Account, arn: Arn }
}

/** Catches that AWS has no such resource, or that the secret has no value. */
export function undefinedIfMissing(error: Error): undefined {
  const isMissing = error.name === 'ResourceNotFoundException' || /does not exist/.test(error.message)
  if (!isMissing) throw error
}

export async function findStack({ stacks }: Aws, name: string): Promise<Stack | undefined> {
  const found = await stacks.send(new DescribeStacksCommand({ StackName: name })).catch(undefinedIfMissing)
  return found?.Stacks?.[0]
}

export function outputOf(stack: Stack | undefined, name: string): string | undefined {
  const key = name.replaceAll('-', '')
  return stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue
}

export interface StoredSecret {
  id: string
  exists: boolean
  value: string | undefined
  /** The customer's key that encrypts it; undefined for AWS's own. */
  keyId: string | undefined
}

/** The secrets of a stage: by their ARN where the stage names one. */
export function secretsOf({ secrets }: Aws, stage: string, { secretArns }: StageSettings) {
  const idOf = (name: SecretName) => secretArns?.[name] ?? `cuecard/${stage}/${name}`
  return {
    async read(name: SecretName): Promise<StoredSecret> {
      const SecretId = idOf(name)
      const found = await secrets.send(new GetSecretValueCommand({ SecretId })).catch(undefinedIfMissing)
      const described = await secrets.send(new DescribeSecretCommand({ SecretId })).catch(undefinedIfMissing)
      const value = found?.SecretString?.trim() || undefined
      return { id: SecretId, exists: described !== undefined, value, keyId: described?.KmsKeyId }
    },
    async write(name: SecretName, value: string): Promise<void> {
      await secrets.send(new PutSecretValueCommand({ SecretId: idOf(name), SecretString: value }))
    },
  }
}

export type Secrets = ReturnType<typeof secretsOf>
