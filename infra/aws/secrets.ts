import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { acknowledge } from './rule-checks.ts'
import { type ProviderSecret, type SecretName, type StageSettings, secretNamesOf } from './stages.ts'

/** Only of providers that the stage has. */
export type Secrets = Readonly<
  Record<Exclude<SecretName, ProviderSecret>, ISecret> & Partial<Record<ProviderSecret, ISecret>>
>

/** Deployed before the system, and outlives it: an operator fills the secrets before the first migration. */
export class SecretsStack extends Stack {
  readonly secrets: Secrets

  constructor(scope: Construct, id: string, stage: string, settings: StageSettings, props: StackProps) {
    super(scope, id, props)
    const entries = secretNamesOf(settings).map((name) => [name, this.#secret(name, stage, settings)] as const)
    this.secrets = Object.fromEntries(entries) as Secrets
  }

  #secret(name: SecretName, stage: string, settings: StageSettings): ISecret {
    const arn = settings.secretArns?.[name] ?? this.#created(name, stage, settings).attrId
    return Secret.fromSecretCompleteArn(this, name, arn)
  }

  #created(name: SecretName, stage: string, settings: StageSettings): CfnSecret {
    const created = new CfnSecret(this, `${name}-value`, {
      name: `cuecard/${stage}/${name}`,
      description: describe(name),
    })
    created.applyRemovalPolicy(settings.removal)
    acknowledge(created, {
      'AwsSolutions-SMG4':
        'Credentials are changed at Neon or at the provider first, so a schedule cannot rotate them. The runbook says ' +
        'how; running instances fetch the new value when the old one is rejected.',
    })
    new CfnOutput(this, `${name}-arn`, { value: created.attrId })
    return created
  }
}

function describe(name: SecretName): string {
  if (name === 'provider') return 'API key of the embedding provider (plain string).'
  if (name === 'previous-provider') return 'API key of the embedding provider from before (plain string).'
  if (name === 'canary') return 'API key of the organization in which the canary works (plain string, cue_…).'
  return `Neon connection URL for the role ${name.replace('database-', '')} (plain string, postgresql://…).`
}
