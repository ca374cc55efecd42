import type { Command } from 'commander'
import { type Api, openApi } from './api.ts'
import { recorded } from './audit.ts'
import { connect, type Services } from './connection.ts'
import { type Output, print } from './print.ts'
import { type Program, programOf } from './terminal.ts'

export interface Context extends Services {
  program: Program
}

type Work<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<Output | undefined>

/** @param columns the columns of the table that is printed without --json; all by default */
export function action<Args extends unknown[]>(work: Work<Args>, columns?: readonly string[]) {
  return perform(connect, (context: Context, _, args: Args) => work(context, ...args), columns)
}

/** An action for customers, who have an API key and no database. */
export function overApi<Args extends unknown[]>(
  work: (context: { api: Api; program: Program }, ...args: Args) => Promise<Output | undefined>,
  columns?: readonly string[],
) {
  const open = (env: NodeJS.ProcessEnv) => ({ api: openApi(env) })
  return perform(open, (context: { api: Api; program: Program }, _, args: Args) => work(context, ...args), columns)
}

/** An action that changes something or returns customers' data, recorded in `operator_actions`. */
export function audited<Args extends unknown[]>(work: Work<Args>, columns?: readonly string[]) {
  return perform(
    connect,
    (context: Context, command, args: Args) => {
      const run = () => work(context, ...args)
      return recorded(context.db, actionOf(command, context.program), run, (output) =>
        isOfOrganization(command) && output && 'id' in output ? String(output.id) : organizationOf(output),
      )
    },
    columns,
  )
}

function perform<Opened extends object, Args extends unknown[]>(
  open: (env: NodeJS.ProcessEnv) => Opened | Promise<Opened>,
  work: (context: Opened & { program: Program }, command: Command, args: Args) => Promise<Output | undefined>,
  columns?: readonly string[],
) {
  return async (...args: [...Args, Command]) => {
    const command = args.pop() as Command
    const program = programOf(command)
    const opened = await open(program.terminal.env)
    const output = await work({ ...opened, program }, command, args as unknown as Args)
    if (output) print(program, output, { asJson: command.optsWithGlobals().json === true, columns })
  }
}

/** Options whose values aren't recorded, because the row outlives the customer. */
const unrecorded = new Set(['mail', 'name', 'yesEraseName'])

function actionOf(command: Command, program: Program) {
  const options = command.options.flatMap((option) => {
    const name = option.attributeName()
    if (command.getOptionValueSource(name) !== 'cli') return []
    const value: unknown = command.getOptionValue(name)
    return value === true ? [option.long!] : [option.long!, unrecorded.has(name) ? '…' : textOf(value)]
  })
  const { organization }: { organization?: string } = command.opts()
  return {
    person: program.opts<{ as?: string }>().as ?? program.terminal.person,
    command: [command.parent, command]
      .map((each) => (each && each !== program ? each.name() : ''))
      .join(' ')
      .trim(),
    arguments: [...command.args, ...options],
    organizationId: organization ?? (isOfOrganization(command) ? command.args[0] : undefined),
  }
}

function isOfOrganization(command: Command): boolean {
  return command.parent?.name() === 'organization'
}

function organizationOf(output: unknown): string | undefined {
  if (typeof output !== 'object' || output === null) return undefined
  if ('organization_id' in output && typeof output.organization_id === 'string') return output.organization_id
  if (!('data' in output && Array.isArray(output.data))) return undefined
  const [organization, ...others] = new Set(output.data.map(organizationOf))
  return others.length === 0 ? organization : undefined
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map(textOf).join(',') : String(value)
}
