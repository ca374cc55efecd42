import * as v from 'valibot'

const isHttp = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
const url = (example: string) => v.pipe(v.string(), v.check(isHttp, `must be a URL such as ${example}`))
const origin = url('https://cuecard.example')

function number(rule: string, isAllowed: (value: number) => boolean) {
  const isValid = (text: string) => text.trim() !== '' && isAllowed(Number(text))
  return v.pipe(
    v.string(),
    v.check(isValid, ({ input }) => `must be ${rule}, not ${input}`),
    v.transform(Number),
  )
}

const maxTimeoutSeconds = 120
export const defaultChunkTokens = 400
const maxOverlapTokens = 60
const defaultOverlap = '60'
const count = number('a whole number, 1 or more', (value) => Number.isSafeInteger(value) && value >= 1)
const whole = (min: number, max: number) =>
  number(`a whole number from ${min} to ${max}`, (value) => Number.isInteger(value) && value >= min && value <= max)
const timeout = number(
  `a number of seconds above 0, at most ${maxTimeoutSeconds}`,
  (value) => value > 0 && value <= maxTimeoutSeconds,
)
const flag = (standard: 'true' | 'false') =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false'], ({ input }) => `must be true or false, not ${input}`),
      v.transform((text) => text === 'true'),
    ),
    standard,
  )
/** A mail address, or one behind a name of characters that need no quotes. */
export const mailSender = v.pipe(
  v.string(),
  v.regex(
    /^([A-Za-z0-9][\w '-]* <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
    'must be a mail address, or Name <address>',
  ),
)
const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'SILENT']
const level = v.pipe(
  v.string(),
  v.check(
    (text) => levels.includes(text.toUpperCase()),
    ({ input }) => `must be one of ${levels.join(', ')}, not ${input}`,
  ),
)

const environment = v.pipe(
  v.object({
    AWS_LAMBDA_FUNCTION_NAME: v.optional(v.string()),
    /** The name under which the Lambda's metrics are counted, if not its own. */
    METRICS_OF: v.optional(v.string()),
    AWS_REGION: v.optional(v.string()),
    AWS_ACCESS_KEY_ID: v.optional(v.string()),
    AWS_SECRET_ACCESS_KEY: v.optional(v.string()),
    AWS_SESSION_TOKEN: v.optional(v.string()),
    /** The address of an S3 emulator, which names buckets in the path. */
    AWS_ENDPOINT_URL_S3: v.optional(url('http://127.0.0.1:4566')),
    AWS_ENDPOINT_URL_SQS: v.optional(url('http://127.0.0.1:4566')),
    AWS_ENDPOINT_URL_SESV2: v.optional(url('http://127.0.0.1:4566')),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: v.optional(url('http://127.0.0.1:4566')),
    /** The maximum of concurrent executions of this Lambda. */
    RESERVED_CONCURRENCY: v.optional(count),
    DATABASE_URL: v.optional(v.string()),
    DATABASE_SECRET: v.optional(v.string()),
    /** The ids of the secrets with each Lambda's database URL, by Lambda. Only the Lambda that creates the logins has it. */
    LOGIN_SECRETS: v.optional(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), '{}'),
    DATABASE_ENDPOINT: v.optional(url('http://127.0.0.1:4444')),
    QUEUE_URL: v.optional(url('https://sqs.eu-central-1.amazonaws.com/123456789012/embedding')),
    EXTRACTION_QUEUE_URL: v.optional(url('https://sqs.eu-central-1.amazonaws.com/123456789012/extraction')),
    /** The contact for website owners, which the crawler sends in its User-Agent. */
    CRAWLER_CONTACT: v.optional(v.string(), 'local trial'),
    CRAWLER_QUEUE_URL: v.optional(url('https://sqs.eu-central-1.amazonaws.com/123456789012/crawler')),
    FILES_BUCKET: v.optional(v.string()),
    EMBEDDING_BASE_URL: v.optional(url('https://api.openai.com/v1')),
    EMBEDDING_MODEL: v.optional(v.string()),
    EMBEDDING_API_KEY: v.optional(v.string()),
    EMBEDDING_SECRET: v.optional(v.string()),
    EMBEDDING_QUERY_PREFIX: v.optional(v.string()),
    EMBEDDING_DOCUMENT_PREFIX: v.optional(v.string()),
    /** The provider before a change of model: it serves each agent until that agent has changed. Without an address it is our own model. */
    PREVIOUS_EMBEDDING_BASE_URL: v.optional(url('https://api.openai.com/v1')),
    PREVIOUS_EMBEDDING_MODEL: v.optional(v.string()),
    PREVIOUS_EMBEDDING_API_KEY: v.optional(v.string()),
    PREVIOUS_EMBEDDING_SECRET: v.optional(v.string()),
    PREVIOUS_EMBEDDING_QUERY_PREFIX: v.optional(v.string()),
    PREVIOUS_EMBEDDING_DOCUMENT_PREFIX: v.optional(v.string()),
    EMBEDDING_CONCURRENCY: v.optional(count, '4'),
    EMBEDDING_TIMEOUT_SECONDS: v.optional(timeout, '20'),
    CHUNK_TOKENS: v.optional(whole(1, 4096), `${defaultChunkTokens}`),
    CHUNK_OVERLAP_TOKENS: v.optional(whole(0, maxOverlapTokens), defaultOverlap),
    /** Allows loopback addresses for webhooks and sources; false in every deployed stage. */
    ALLOW_LOOPBACK: flag('false'),
    /** True where CloudFront says which address a request comes from. */
    BEHIND_CLOUDFRONT: flag('false'),
    /** The origin of the API and the dashboard, to which mails and metadata lead. */
    ORIGIN: v.optional(origin),
    /** The sender of the dashboard's mails. Without it, none is sent. */
    MAIL_FROM: v.optional(mailSender),
    /** Lets people sign in to the dashboard with keys. */
    KEY_SIGN_IN: flag('false'),
    /** A provider of OpenID Connect whose accounts people sign in with; its name is on the button. */
    OIDC_ISSUER: v.optional(url('https://accounts.google.com')),
    OIDC_CLIENT_ID: v.optional(v.string()),
    OIDC_CLIENT_SECRET: v.optional(v.string()),
    OIDC_SECRET: v.optional(v.string()),
    OIDC_NAME: v.optional(v.string()),
    POWERTOOLS_LOG_LEVEL: v.optional(level),
  }),
  v.forward(
    v.partialCheck(
      [['EMBEDDING_BASE_URL'], ['EMBEDDING_API_KEY']],
      ({ EMBEDDING_BASE_URL, EMBEDDING_API_KEY }) =>
        EMBEDDING_API_KEY === undefined || EMBEDDING_BASE_URL !== undefined,
      'is set without EMBEDDING_BASE_URL: set that to the provider of the key, such as https://api.openai.com/v1, or unset the key',
    ),
    ['EMBEDDING_API_KEY'],
  ),
  v.forward(
    v.partialCheck(
      [['EMBEDDING_BASE_URL'], ['EMBEDDING_MODEL']],
      ({ EMBEDDING_BASE_URL, EMBEDDING_MODEL }) =>
        EMBEDDING_BASE_URL !== undefined || [undefined, 'encoder', 'lexical'].includes(EMBEDDING_MODEL),
      'must be encoder or lexical without EMBEDDING_BASE_URL: set that to the provider of the model',
    ),
    ['EMBEDDING_MODEL'],
  ),
  v.forward(
    v.partialCheck(
      [['PREVIOUS_EMBEDDING_BASE_URL'], ['PREVIOUS_EMBEDDING_MODEL']],
      ({ PREVIOUS_EMBEDDING_BASE_URL, PREVIOUS_EMBEDDING_MODEL }) =>
        PREVIOUS_EMBEDDING_BASE_URL === undefined
          ? [undefined, 'encoder', 'lexical'].includes(PREVIOUS_EMBEDDING_MODEL)
          : PREVIOUS_EMBEDDING_MODEL !== undefined,
      'must be encoder or lexical without PREVIOUS_EMBEDDING_BASE_URL, and a model of the provider with it',
    ),
    ['PREVIOUS_EMBEDDING_MODEL'],
  ),
  v.forward(
    v.partialCheck(
      [['CHUNK_TOKENS'], ['CHUNK_OVERLAP_TOKENS']],
      ({ CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS }) => CHUNK_OVERLAP_TOKENS < CHUNK_TOKENS,
      ({ input: { CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS } }) =>
        `must be less than CHUNK_TOKENS, which is ${CHUNK_TOKENS}: set it to ${Math.min(Number(CHUNK_TOKENS) - 1, maxOverlapTokens)} or less, not ${CHUNK_OVERLAP_TOKENS}${String(CHUNK_OVERLAP_TOKENS) === defaultOverlap ? ` (${defaultOverlap} is its default)` : ''}`,
    ),
    ['CHUNK_OVERLAP_TOKENS'],
  ),
)

type Config = v.InferOutput<typeof environment>

/** @throws Error that names each invalid setting, so a handler fails as its module loads */
export function config(): Config {
  const result = parse(process.env)
  if (result.success) return result.output
  throw new Error(`Invalid configuration: ${faultsOf(result).join('; ')}`)
}

/** Read for each request, because a stand knows its port only when it serves. @throws Error if it is not set */
export const configuredOrigin = (): URL => new URL(v.parse(origin, process.env.ORIGIN))

/** A line for each invalid setting in `env`, which says what it must be. */
export function configFaults(env: NodeJS.ProcessEnv): string[] {
  return faultsOf(parse(env))
}

export function required<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config()[name]
  if (value === undefined || value === null) throw new Error(`${name} is not set`)
  return value
}

type Parsed = v.SafeParseResult<typeof environment>

function parse(env: NodeJS.ProcessEnv): Parsed {
  return v.safeParse(environment, Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
}

function faultsOf({ issues }: Parsed): string[] {
  return (issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}`)
}
