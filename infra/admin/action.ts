import type { Command } from 'commander'
import { perform } from '../command-line/perform.ts'
import type { Output } from '../command-line/print.ts'
import type { Program } from '../command-line/terminal.ts'
import { recordRun } from './audit.ts'
import { connect, requireStage, type Services } from './connection.ts'

export interface Context extends Services {
  program: Program
}

type Work<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<Output | undefined>

/** @param columns the columns of the table that is printed without --json; all by default */
export function action<Args extends unknown[]>(work: Work<Args>, columns?: readonly string[]) {
  return perform(connect, (context: Context, _, args: Args) => work(context, ...args), columns)
}

/** An action that changes something or returns customers' data, recorded in `operator_actions`. */
export function audited<Args extends unknown[]>(work: Work<Args>) {
  return perform(connect, (context: Context, command, args: Args) => {
    requireStage(context, context.program)
    const run = () => work(context, ...args)
    return recordRun(context.db, actionOf(command, context.program), run, (output) =>
      isOfOrganization(command) && output && 'id' in output ? String(output.id) : organizationOf(output),
    )
  })
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
