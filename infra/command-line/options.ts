import { type Command, InvalidArgumentError, Option } from 'commander'
import * as v from 'valibot'
import { time } from '../../shared/http/input/time.ts'
import { type OrganizationId, organizationId, uuid } from '../../shared/ids.ts'

export const subcommand = (parent: Command, name: string, description: string) =>
  parent.command(name).description(description)

export function parser<T>(schema: v.GenericSchema<string, T>): (text: string) => T {
  return (text) => {
    const result = v.safeParse(schema, text, { abortPipeEarly: true })
    if (result.success) return result.output
    throw new InvalidArgumentError(`The value ${result.issues[0].message}.`)
  }
}

const name = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('must not be empty'),
  v.maxLength(200, 'must have at most 200 characters'),
  v.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
)
export const count = (min: number, max = 1_000_000_000) =>
  v.pipe(
    v.string(),
    v.digits('must be a whole number'),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )

export const id = parser(uuid)
export const required = {
  name: () => new Option('--name <name>', 'display name').argParser(parser(name)).makeOptionMandatory(),
  organization: () => organization().makeOptionMandatory(),
}
export const optional = {
  organization,
  onlyOrganization: () => organization('id of the organization; optional if there is only one'),
  limit: () => new Option('--limit <count>', 'maximum number of rows').argParser(parser(count(1, 10_000))).default(100),
}

export interface ListOptions {
  organization?: OrganizationId
  limit: number
}

function organization(description = 'id of the organization') {
  return new Option('--organization <id>', description).argParser(parser(organizationId))
}

const millisecondsIn: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A time in the future: RFC 3339 such as 2027-01-01T00:00:00Z, or a duration from now such as 90m, 12h, 30d or 8w. */
export const expiry = v.pipe(
  v.string(),
  v.transform(parse),
  v.date('must be a time like 2027-01-01T00:00:00Z or a duration like 90m, 12h, 30d or 8w'),
  v.check((date) => date.getTime() > Date.now(), 'must be in the future'),
)

function parse(text: string): Date {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? []
  if (unit) return new Date(Date.now() + Number(count) * millisecondsIn[unit]!)
  const { success, output } = v.safeParse(time, text)
  return new Date(success ? output : Number.NaN)
}
