import { CommandError } from '../../admin/command-error.ts'
import { sentenceOf } from '../../admin/sentence.ts'
import type { StageFile } from '../../aws/stage-file.ts'
import { writeStageFile } from '../../aws/stage-file.ts'
import { isProviderSecret, type ProviderSecret, providerOf, type SecretName, secretNamesOf } from '../../aws/stages.ts'
import { migrateAt, migrationNames } from '../../migrations/migrate.ts'
import { databaseUsers } from '../../wiring.ts'
import type { Ask } from '../answers.ts'
import { findStack, type StoredSecret } from '../aws.ts'
import { appliedMigrations, checkOwner } from '../checks/database.ts'
import type { Finding } from '../checks/finding.ts'
import { checkProvider } from '../checks/preflight.ts'
import { type Context, cdkDeploy } from '../context.ts'
import { isWorkingLogin, loginOf, renewLogin, requireWorkingLogin, slotOf } from '../logins.ts'
import { canary, firstOf, isCanaryKey, makeTenant, revokeOthers, tenantsWithKey } from './tenants.ts'

export interface Step {
  subject: string
  what: string
  isDone: boolean
  run(): Promise<void>
}

/** Runs the steps that are not done. */
export async function carryOut({ program }: Context, steps: readonly Step[]): Promise<void> {
  for (const { subject, what, run } of steps.filter(({ isDone }) => !isDone)) {
    program.warn(`${subject}: ${what}`)
    await run()
  }
}

export interface Plan {
  /** In the order in which they run: each needs those before it, and any may run again. */
  steps: Step[]
  /** The database, without its login. */
  database: string
}

type Found = Partial<Record<SecretName, StoredSecret>>

interface PlanOptions {
  /** Without it no first organization is made. */
  onKey?: (made: Awaited<ReturnType<typeof makeTenant>>) => Promise<void>
  /** The owner of another database than the one in the secret. */
  ownerUrl?: string
}

/** Compares what is there with what the stage needs. Asks for what it cannot know, and changes nothing. */
export async function planOf(
  context: Context,
  { file, isNew }: { file: StageFile; isNew: boolean },
  ask: Ask,
  { onKey, ownerUrl: wantedUrl }: PlanOptions,
): Promise<Plan> {
  await requireBootstrap(context)
  const found = await readSecrets(context)
  const ownerUrl = wantedUrl ?? (await keptOr(context, found['database-owner'], ownerQuestion(context), ask))
  const provider = await providerStep(context, found, ask)
  const owner = context.database(ownerUrl)
  const applied = await appliedMigrations(owner)
  const pending = migrationNames.filter((name) => !applied.has(name))
  const steps = [
    fileStep(context, file, isNew),
    stackStep(context, found),
    secretStep(context, found, 'database-owner', ownerUrl),
    ...provider,
    {
      subject: 'schema',
      what: pending.length > 0 ? `migrations ${pending.join(', ')}` : 'every migration',
      isDone: pending.length === 0,
      run: async () => void (await migrateAt(ownerUrl)),
    },
    ...(await loginSteps(context, found, ownerUrl, applied.size > 0)),
    ...(await tenantSteps(context, found, ownerUrl, applied.size > 0, ask, onKey)),
  ]
  const { hostname, pathname } = new URL(ownerUrl)
  return { steps, database: `${pathname.slice(1)} at ${hostname}` }
}

async function requireBootstrap({ aws, settings: { account, region } }: Context): Promise<void> {
  if (await findStack(aws, 'CDKToolkit')) return
  throw new CommandError(`the account is not prepared for CDK: run npx cdk bootstrap aws://${account}/${region} first`)
}

async function readSecrets({ settings, secrets }: Context): Promise<Found> {
  const names = secretNamesOf(settings)
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await secrets.read(name)] as const)))
}

const faultIn = (findings: Finding[]) => {
  const fault = findings.find(({ level }) => level === 'error')
  return fault && (fault.subject === 'database-owner' ? fault.detail : `${fault.subject}: ${fault.detail}`)
}

export function ownerQuestion({ database }: Context) {
  const check = (url: string) => checkOwner(url, database).then(faultIn, sentenceOf)
  return { name: 'OWNER_URL', text: 'Direct URL of the database’s owner at Neon', isSecret: true, check } as const
}

/** @throws CommandError in a stage with the encoder, which has no key */
export function providerQuestion({ settings, stage }: Context, secret: ProviderSecret = 'provider') {
  const provider = providerOf(settings, secret)
  if (!provider) throw new CommandError(`${stage} has no provider with a key as its ${secret}`)
  const check = async (key: string) => faultIn([await checkProvider(provider, key)])
  const name = secret === 'provider' ? 'PROVIDER_KEY' : 'PREVIOUS_PROVIDER_KEY'
  return { name, text: `API key for ${provider.baseUrl}`, isSecret: true, check } as const
}

/** The secret's value if it works, else the answer. */
async function keptOr(
  { program }: Context,
  kept: StoredSecret | undefined,
  question: Secret,
  ask: Ask,
): Promise<string> {
  if (kept?.value === undefined) return await ask(question)
  const fault = await question.check(kept.value)
  if (fault === undefined) return kept.value
  program.warn(`The secret ${kept.id} does not work: ${fault}`)
  return await ask(question)
}

type Secret = ReturnType<typeof ownerQuestion | typeof providerQuestion>

async function providerStep(context: Context, found: Found, ask: Ask): Promise<Step[]> {
  const steps: Step[] = []
  for (const name of secretNamesOf(context.settings).filter(isProviderSecret)) {
    const key = await keptOr(context, found[name], providerQuestion(context, name), ask)
    steps.push(secretStep(context, found, name, key))
  }
  return steps
}

function fileStep({ stage, directory }: Context, file: StageFile, isNew: boolean): Step {
  const run = () => writeStageFile(directory, stage, file)
  return { subject: 'settings', what: `infra/aws/stages/${stage}.json, for you to commit`, isDone: !isNew, run }
}

function stackStep({ stack, cdk }: Context, found: Found): Step {
  const name = `${stack}-secrets`
  return {
    subject: 'secrets',
    what: `stack ${name} of ${Object.keys(found).length} secrets, by cdk deploy`,
    isDone: Object.values(found).every(({ exists }) => exists),
    run: () => cdk([...cdkDeploy, name]),
  }
}

function secretStep({ secrets }: Context, found: Found, name: SecretName, value: string): Step {
  const { id, value: kept } = found[name]!
  return { subject: name, what: `secret ${id}`, isDone: kept === value, run: () => secrets.write(name, value) }
}

function loginSteps(context: Context, found: Found, ownerUrl: string, hasRoles: boolean): Promise<Step[]> {
  const steps = databaseUsers.map(async (lambda): Promise<Step> => {
    const name = `database-${lambda}` as const
    const { value } = found[name]!
    const isDone = hasRoles && value !== undefined && (await isWorkingLogin(context, ownerUrl, lambda, value))
    // That of the secret, if it names one: a Lambda may run with the other.
    const slot = slotOf(lambda, value) ?? 1
    return {
      subject: name,
      what: isDone ? `login ${new URL(value).username}` : `login ${loginOf(lambda, slot)} with a new password`,
      isDone,
      async run() {
        const url = await renewLogin(context.database(ownerUrl), ownerUrl, lambda, slot)
        await requireWorkingLogin(context, lambda, url)
        await context.secrets.write(name, url)
      },
    }
  })
  return Promise.all(steps)
}

async function tenantSteps(
  { stage, secrets, database, terminal: { person } }: Context,
  found: Found,
  ownerUrl: string,
  hasTables: boolean,
  ask: Ask,
  onKey: PlanOptions['onKey'],
): Promise<Step[]> {
  const db = database(ownerUrl)
  const existing = hasTables ? await tenantsWithKey(db) : []
  const question = { name: 'ORGANIZATION', text: 'Name of a first organization, if you want one now', fallback: '' }
  const wanted = existing.length > 0 || !onKey ? '' : await ask(question)
  return [
    {
      subject: 'canary',
      what: 'organization, agent and key of the canary, in its secret',
      isDone: hasTables && (await isCanaryKey(db, found.canary?.value)),
      async run() {
        const { key, key_id, organization_id } = await makeTenant(db, person, stage, canary)
        await secrets.write('canary', key)
        await revokeOthers(db, organization_id, key_id)
      },
    },
    ...(wanted && onKey
      ? [
          {
            subject: 'organization',
            what: `${wanted}, with an agent and a key that is shown once`,
            isDone: false,
            run: async () => onKey(await makeTenant(db, person, stage, firstOf(wanted))),
          },
        ]
      : []),
  ]
}
