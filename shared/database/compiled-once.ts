import { type CompiledQuery, type Expression, type Kysely, sql } from 'kysely'
import type { Statement } from './database.ts'
import type { Tables } from './tables.ts'

/** What a statement is built from: a value that its shape does not decide is a parameter. */
export type Parameters<Values> = {
  readonly [Name in keyof Values]: Values[Name] extends boolean | undefined
    ? Values[Name]
    : Expression<NonNullable<Values[Name]>> | Extract<Values[Name], undefined>
}

/** Compiles a statement once for each shape: which values are undefined, and the booleans. Compiling takes longer than the rest of a search. */
export function compiledOnce<Values extends object, Row>(
  build: (db: Kysely<Tables>, parameters: Parameters<Values>) => Statement<Row>,
): (values: Values) => Statement<Row> {
  const compiled = new Map<string, CompiledQuery<Row>>()
  return (values) => ({
    compile(db) {
      const shape = Object.entries(values).map(shapeOf).join(' ')
      let query = compiled.get(shape)
      if (!query) {
        query = build(db, parametersFor(values)).compile(db)
        compiled.set(shape, query)
      }
      const parameters = query.parameters.map((parameter) =>
        parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
      )
      return { ...query, parameters }
    },
  })
}

class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function shapeOf([name, value]: [string, unknown]): string {
  if (typeof value === 'boolean') return `${name}=${value}`
  return value === undefined ? '' : name
}

function parametersFor<Values extends object>(values: Values): Parameters<Values> {
  const isOfShape = (value: unknown) => value === undefined || typeof value === 'boolean'
  const parameters = Object.entries(values).map(([name, value]) => [
    name,
    isOfShape(value) ? value : sql`${new Slot(name)}`,
  ])
  return Object.fromEntries(parameters)
}
