import * as v from 'valibot'

const seconds = v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(0))
const count = v.pipe(v.string(), v.transform(Number), v.integer(), v.minValue(1))

const environment = v.object({
  AWS_LAMBDA_FUNCTION_NAME: v.optional(v.string()),
  DATABASE_URL: v.optional(v.string()),
  DATABASE_SECRET_ARN: v.optional(v.string()),
  DATABASE_ENDPOINT: v.optional(v.pipe(v.string(), v.url())),
  QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  EMBEDDING_BASE_URL: v.optional(v.pipe(v.string(), v.url())),
  EMBEDDING_MODEL: v.optional(v.string(), 'text-embedding-3-small'),
  EMBEDDING_API_KEY: v.optional(v.string()),
  EMBEDDING_SECRET_ARN: v.optional(v.string()),
  EMBEDDING_CONCURRENCY: v.optional(count, '4'),
  EMBEDDING_TIMEOUT_SECONDS: v.optional(seconds, '20'),
  CHUNK_TOKENS: v.optional(count, '400'),
  CHUNK_OVERLAP_TOKENS: v.optional(
    v.pipe(v.string(), v.transform(Number), v.integer(), v.minValue(0), v.maxValue(60)),
    '60',
  ),
})

export type Config = v.InferOutput<typeof environment>

/** @throws Error that names each invalid setting, so a handler fails as its module loads */
export function config(): Config {
  return parse(process.env)
}

/** @throws Error when the setting is missing */
export function required<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config()[name]
  if (value === undefined || value === null) throw new Error(`${name} is not set`)
  return value
}

function parse(env: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = v.safeParse(environment, set)
  if (result.success) return result.output
  throw new Error(
    `Invalid configuration: ${result.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`).join('; ')}`,
  )
}
