import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CommandError } from '../../admin/command-error.ts'
import { print } from '../../admin/print.ts'
import type { Program } from '../../admin/terminal.ts'
import { answersFrom, confirm } from '../answers.ts'
import { contextOf, type Surroundings, settingsOf } from '../context.ts'
import { carryOut, planOf } from './plan.ts'
import { stageFileFor } from './settings.ts'

export interface CreateOptions {
  yes?: true
  dryRun?: true
  answers?: string
  keyFile?: string
}

/** Brings an account and a database to where a stage can be deployed. Run again, it does what is missing. */
export async function create(surroundings: Surroundings, program: Program, stage: string, options: CreateOptions) {
  const { terminal, directory } = surroundings
  requireNewFile(options.keyFile)
  const ask = await answersFrom(terminal, options.answers)
  const chosen = await stageFileFor(stage, directory, ask)
  const settings = { ...settingsOf(stage, directory), ...chosen.file }
  const context = contextOf(surroundings, program, stage, settings)
  const { asJson } = context
  let organization: object | undefined
  const plan = await planOf(context, chosen, ask, {
    async onKey({ key, ...ids }) {
      const { keyFile } = options
      if (keyFile) await writeFile(keyFile, `${key}\n`, { mode: 0o600, flag: 'wx' })
      organization = { ...ids, ...(keyFile ? { key_file: keyFile } : { key }) }
    },
  })
  const rows = plan.steps.map(({ subject, what, isDone }) => ({ state: isDone ? 'there' : 'to do', subject, what }))
  const { account, region } = settings
  if (!asJson) {
    program.warn(`${stage}: account ${account}, ${region}; database ${plan.database}`)
    print(program, { data: rows }, { asJson })
  }
  if (options.dryRun || plan.steps.every(({ isDone }) => isDone)) return finish()
  program.warn(`
In the account this makes the stack cuecard-${stage}-secrets, through CDK's roles, and writes values of secrets of cuecard/${stage}/.
In the database it makes the schema, its roles and their logins (cuecard_NAME_1), and adds organizations. It deletes nothing, and replaces what does not work.
`)
  if (!options.yes) await confirm(terminal, 'Go ahead? [y/N]', '--yes')
  await carryOut(context, plan.steps)
  return finish()

  function finish(): void {
    if (asJson) {
      print(program, { stage, account, region, steps: rows, ...(organization && { organization }) }, { asJson })
      return
    }
    if (organization) print(program, organization, { asJson })
    const next = `commit infra/aws/stages/${stage}.json, then npm run stage -- deploy ${stage}`
    if (!options.dryRun) program.warn(`Done. Next: ${next}`)
  }
}

/** Before a key is made that could not be written. */
function requireNewFile(path: string | undefined): void {
  if (path === undefined) return
  if (existsSync(path)) throw new CommandError(`${path} exists: name a new file for the key`)
  if (!existsSync(dirname(resolve(path)))) throw new CommandError(`no such directory: ${dirname(resolve(path))}`)
}
