import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { acknowledge } from './nag.ts'
import {
  type RetiredSecretName,
  retiredSecretNames,
  type SecretName,
  type StageSettings,
  secretNames,
} from './stages.ts'

export type Secrets = Readonly<Record<SecretName, ISecret>>

/**
 * The secrets in a stack of their own, which lives longer than the system: they are created without a value, filled by
 * hand, and only then does the system's stack have a database to migrate.
 */
export class SecretsStack extends Stack {
  readonly secrets: Secrets

  constructor(scope: Construct, id: string, stage: string, settings: StageSettings, props: StackProps) {
    super(scope, id, props)
    const entries = secretNames.map((name) => [name, this.#secret(name, stage, settings)] as const)
    this.secrets = Object.fromEntries(entries) as Record<SecretName, ISecret>
    for (const name of settings.secretArns ? [] : retiredSecretNames) {
      this.exportValue(this.#created(name, stage, settings).attrId)
    }
  }

  #secret(name: SecretName, stage: string, settings: StageSettings): ISecret {
    const arn = settings.secretArns?.[name] ?? this.#created(name, stage, settings).attrId
    return Secret.fromSecretCompleteArn(this, name, arn)
  }

  #created(name: SecretName | RetiredSecretName, stage: string, settings: StageSettings): CfnSecret {
    // The higher-level construct would generate a value; this one is empty until someone puts one in.
    const created = new CfnSecret(this, `${name}-value`, {
      name: `cuecard/${stage}/${name}`,
      description: describe(name),
    })
    created.applyRemovalPolicy(settings.removal)
    acknowledge(created, {
      'AwsSolutions-SMG4':
        'What is kept here is changed at Neon or at the provider first, so a schedule of ours cannot rotate it; the ' +
        'runbook does, and running instances fetch the new value when the old one is refused.',
    })
    new CfnOutput(this, `${name}-arn`, { value: created.attrId })
    return created
  }
}

function describe(name: SecretName | RetiredSecretName): string {
  return name === 'provider'
    ? 'Key of the embedding provider.'
    : `Connection URL of Neon for the ${name.replace('database-', '')} (plain string, postgresql://…).`
}
