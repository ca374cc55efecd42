import { type Command, InvalidArgumentError, Option } from 'commander'
import * as v from 'valibot'
import { organizationId, uuid } from '../../shared/ids.ts'
import { connect, type Services } from './connection.ts'
import { type Answer, print } from './print.ts'

/** A parser for commander, which refuses what breaks the schema. */
export function checked<T>(schema: v.GenericSchema<string, T>): (text: string) => T {
  return (text) => {
    const result = v.safeParse(schema, text, { abortPipeEarly: true })
    if (result.success) return result.output
    throw new InvalidArgumentError(`It ${result.issues[0].message}.`)
  }
}

const name = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('must not be empty'),
  v.maxLength(200, 'must have at most 200 characters'),
  v.regex(/^\P{Cc}*$/u, 'must not hold control characters'),
)
const limit = v.pipe(
  v.string(),
  v.digits('must be a number'),
  v.transform(Number),
  v.minValue(1, 'must be 1 or more'),
  v.maxValue(10_000, 'must be 10000 or less'),
)

export const id = checked(uuid)
export const required = {
  name: () => new Option('--name <name>', 'what people call it').argParser(checked(name)).makeOptionMandatory(),
  organization: () => organization().makeOptionMandatory(),
}
export const optional = {
  organization,
  limit: () => new Option('--limit <count>', 'the most to list').argParser(checked(limit)).default(100),
}

function organization() {
  return new Option('--organization <id>', 'the organization').argParser(checked(organizationId))
}

/** The action of a command: connects, does `work` with the command's arguments and options, and prints what it yields. */
export function answers<Args extends unknown[]>(work: (services: Services, ...args: Args) => Promise<Answer>) {
  return async (...args: [...Args, Command]) => {
    const command = args.pop() as Command
    const services = await connect(process.env)
    print(await work(services, ...(args as unknown as Args)), command.optsWithGlobals().json === true)
  }
}
