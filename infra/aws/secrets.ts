import { Aws, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { acknowledge } from './rule-checks.ts'
import {
  isProviderSecret,
  type OptionalSecret,
  type SecretName,
  type StageSettings,
  secretIdOf,
  secretNamesOf,
} from './stages.ts'

/** `id`: the name under which a Lambda reads a secret. `arn`: the secret that its role may read. */
export type SecretReference = { readonly id: string; readonly arn: string }

/** A stage's secrets; optional ones only if the stage has them. */
export type Secrets = Readonly<
  Record<Exclude<SecretName, OptionalSecret>, SecretReference> & Partial<Record<OptionalSecret, SecretReference>>
>

/** Refers to secrets by name, because an export would stop the deploy of older code that doesn't use one. */
export function secretsFor(stage: string, settings: StageSettings): Secrets {
  const { account, region, secretArns } = settings
  const entries = secretNamesOf(settings).map((name) => {
    const id = secretIdOf(stage, settings, name)
    // Secrets Manager adds six characters to the end of a secret's ARN.
    const made = `arn:${Aws.PARTITION}:secretsmanager:${region}:${account}:secret:${id}-??????`
    return [name, { id, arn: secretArns?.[name] ?? made }] as const
  })
  return Object.fromEntries(entries) as Secrets
}

/** Is deployed before the system and outlives it. An operator fills the secrets before the first migration. */
export class SecretsStack extends Stack {
  constructor(scope: Construct, id: string, stage: string, settings: StageSettings, props: StackProps) {
    super(scope, id, props)
    for (const name of secretNamesOf(settings)) {
      if (settings.secretArns?.[name]) continue
      const id = secretIdOf(stage, settings, name)
      const created = new CfnSecret(this, `${id.replace(`cuecard/${stage}/`, '')}-value`, {
        name: id,
        description: describe(name),
        kmsKeyId: settings.secretsKeyArn,
      })
      created.applyRemovalPolicy(settings.removal)
      acknowledge(created, {
        'AwsSolutions-SMG4':
          'Credentials are changed at Neon or at the provider first, so a schedule cannot rotate them. The runbook says ' +
          'how; running instances fetch the new value when the old one is rejected.',
      })
    }
  }
}

function describe(name: SecretName): string {
  if (isProviderSecret(name)) return 'API key of an embedding provider (plain string).'
  if (name === 'oidc') return 'Client secret at the OpenID Connect provider (plain string).'
  if (name === 'canary') return 'API key of the canary’s organization (plain string, cue_…).'
  return `Neon connection URL for the role ${name.replace('database-', '')} (plain string, postgresql://…).`
}
