import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { writeStageFile } from '../../aws/stage-file.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { print } from '../../command-line/print.ts'
import type { Program } from '../../command-line/terminal.ts'
import { answersIn, confirm } from '../answers.ts'
import { accountChecks } from '../checks/account.ts'
import { type Check, carryOut, error, errorsIn, findingsOf, judgeAll, ok, show, stepsOf } from '../checks/check.ts'
import { computeOf, neonCheck } from '../checks/neon.ts'
import { givenSecretsOf, stateChecks, valueCheck } from '../checks/stage.ts'
import { type Context, contextOf, type Surroundings, settingsOf } from '../context.ts'
import { workingSecrets } from '../given-secrets.ts'
import { organizationCheck } from './organizations.ts'
import { stageFileFor } from './settings.ts'

export interface CreateOptions {
  yes?: true
  dryRun?: true
  answers?: string
  keyFile?: string
}

/** Prepares an account and a database for a stage's deploy. Another run does only what is missing. */
export async function create(surroundings: Surroundings, program: Program, stage: string, options: CreateOptions) {
  const { terminal, directory } = surroundings
  requireNewFile(options.keyFile)
  const example = settingsOf(stage, directory)
  const answers = await answersIn(terminal, options.answers)
  const { file, isNew } = await stageFileFor(stage, directory, answers)
  const context = contextOf(surroundings, program, stage, { ...example, ...file })
  await requireReady(context, accountChecks(context))

  const names = givenSecretsOf(context)
  const kept = await Promise.all(names.map((name) => findingsOf(valueCheck(context, name))))
  if (!isNew) show(program, errorsIn(kept.flat()))
  const needed = names.filter((_, i) => errorsIn(kept[i]!).length > 0)
  const given = await workingSecrets(context, answers, needed)
  const ownerUrl = given['database-owner'] ?? (await context.secrets.read('database-owner')).value!
  await requireReady(context, [neonCheck(context, await computeOf(context.database(ownerUrl)))])
  const { ORGANIZATION: wanted } = answers
  let organization: object | undefined
  const onKey = async (key: string, ids: object) => {
    const { keyFile } = options
    if (keyFile) await writeFile(keyFile, `${key}\n`, { mode: 0o600, flag: 'wx' })
    organization = { ...ids, ...(keyFile ? { key_file: keyFile } : { key }) }
  }
  const { hostname: databaseHost, pathname } = new URL(ownerUrl)
  const what = `infra/aws/stages/${stage}.json, for you to commit`
  const isKept = !isNew && file.databaseHost === databaseHost
  const settings: Check = {
    subject: 'settings',
    judge: async () => [isKept ? ok('settings', what) : error('settings', 'are new')],
    repair: { what, run: () => writeStageFile(directory, stage, { ...file, databaseHost }) },
  }
  const steps = await stepsOf([
    settings,
    ...stateChecks(context, ownerUrl, given),
    ...(wanted ? [organizationCheck(context, ownerUrl, wanted, onKey)] : []),
  ])
  const { asJson } = context
  const { account, region } = file
  const rows = steps.map(({ subject, what, isDone }) => ({ state: isDone ? 'there' : 'to do', subject, what }))
  if (!asJson) {
    program.warn(`${stage}: account ${account}, ${region}; database ${pathname.slice(1)} at ${databaseHost}`)
    print(program, { data: rows }, { asJson })
  }
  if (!options.dryRun && steps.some(({ isDone }) => !isDone)) {
    program.warn(`
In the account, this makes the stack cuecard-${stage}-secrets, through CDK's roles, and writes values of the secrets cuecard/${stage}/….
In the database, it makes the schema, its roles and their logins (cuecard_NAME_1), and adds organizations. It deletes nothing, and replaces only what does not work.
`)
    if (!options.yes) await confirm(terminal, 'Go ahead? [y/N]', '--yes')
    await carryOut(program, steps)
  }
  if (asJson) print(program, { stage, account, region, steps: rows, ...(organization && { organization }) }, { asJson })
  else if (organization) print(program, organization, { asJson })
  const next = `commit infra/aws/stages/${stage}.json, then npm run stage -- deploy ${stage}`
  if (!asJson && !options.dryRun) program.warn(`Done. Next: ${next}`)
}

/** @throws CommandError if a check finds an error, after all findings are shown */
async function requireReady({ program }: Context, checks: Check[]): Promise<void> {
  const found = (await judgeAll(checks)).filter(({ level }) => level !== 'ok')
  show(program, found)
  if (errorsIn(found).length > 0) throw new CommandError('not ready: nothing was done')
}

/** Fails before a key is made that could not be written. */
function requireNewFile(path: string | undefined): void {
  if (path === undefined) return
  if (existsSync(path)) throw new CommandError(`${path} exists: name a new file for the key`)
  if (!existsSync(dirname(resolve(path)))) throw new CommandError(`no such directory: ${dirname(resolve(path))}`)
}
