import { providerOf } from '../aws/stages.ts'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { type Answers, answersIn, secretsFrom } from './answers.ts'
import { errorsIn, findingsOf } from './checks/check.ts'
import { type GivenSecret, judgeValue } from './checks/stage.ts'
import type { Context } from './context.ts'

/** The name of each secret's answer. */
const variables = {
  provider: 'PROVIDER_KEY',
  'previous-provider': 'PREVIOUS_PROVIDER_KEY',
  'database-owner': 'OWNER_URL',
  oidc: 'OIDC_CLIENT_SECRET',
} as const satisfies Record<GivenSecret, string>

export const replaceable = Object.keys(variables) as GivenSecret[]

/** @returns checked values @throws CommandError if one does not work */
export async function workingSecrets<Name extends GivenSecret>(
  context: Context,
  answers: Answers,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const texts = Object.fromEntries(names.map((name) => [variables[name], meaningOf(context, name)]))
  const found = await secretsFrom(context.terminal, answers, texts)
  const values = names.map((name) => [name, found[variables[name]]!] as const)
  for (const [name, value] of values) {
    const findings = await findingsOf({ subject: name, judge: () => judgeValue(context, name, value) })
    const [fault] = errorsIn(findings)
    const subject = fault?.subject === name ? '' : `${fault?.subject}: `
    if (fault) throw new CommandError(`${variables[name]}: ${subject}${fault.detail}`)
  }
  return Object.fromEntries(values) as Record<Name, string>
}

function meaningOf({ settings, stage }: Context, name: GivenSecret): string {
  if (name === 'database-owner') return 'direct URL of the database’s owner at Neon'
  if (name === 'oidc') return `client secret at ${settings.oidc?.issuer}`
  const provider = providerOf(settings, name)
  if (!provider) throw new CommandError(`${stage} has no provider with a key as its ${name}`)
  return `API key for ${provider.baseUrl}`
}

/** Checks another value and stores it in a secret. Running Lambdas fetch it when the old value is rejected. */
export async function replaceSecret(context: Context, name: GivenSecret): Promise<void> {
  const { program, secrets, stage, terminal } = context
  const values = await workingSecrets(context, await answersIn(terminal, undefined), [name])
  await secrets.write(name, values[name])
  print(program, { stage, replaced: name }, context)
}
