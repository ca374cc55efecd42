import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { beforeAll, describe, test } from 'vitest'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { invoke } from '../../../infra/local/lambda.ts'
import { lambdas } from '../../../infra/wiring.ts'
import { makeThings, screenRoutes } from '../../dashboard/routes.ts'
import { newBrowser, signIn } from '../../dashboard/support.ts'
import { useStand } from '../../support/stand/stand.ts'
import { type FormRequest, formRequest, type Screen } from './generate/form.ts'
import { Ledger } from './ledger.ts'
import { cases, playAll } from './play.ts'
import { useRows } from './rows.ts'
import { makeWorld, type Who } from './world.ts'

const stand = useStand()
const cookies = {} as Record<Who, string>
let ledger: Ledger
beforeAll(async () => {
  const world = await makeWorld(stand)
  for (const who of ['A', 'B'] as const) {
    const { tenant, names } = world[who]
    const { callId, keyId, goldenQuestionId } = await makeThings(stand.db, tenant)
    Object.assign(names, { callId, keyId, goldenQuestionId })
    const { jar } = await signIn(newBrowser(stand), tenant.apiKey)
    cookies[who] = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }
  ledger = new Ledger(world)
})
const rows = useRows(() => stand.pool)

const fieldsOf = (form: unknown) => Object.keys((form as { entries?: object } | undefined)?.entries ?? {})
const screens: Screen[] = [
  ...screenRoutes.map(({ method, path, metadata }) => ({ method, path, fields: fieldsOf(metadata.form) })),
  { method: 'GET', path: '/dashboard/sign-in', fields: [] },
  { method: 'GET', path: '/dashboard/assets/:file', fields: [] },
  { method: 'POST', path: '/dashboard/sign-out', fields: [] },
]

describe.each(screens)('$method $path', (screen) => {
  const name = `${screen.method} ${screen.path}`
  const sent = Math.ceil(cases / 4)
  test(`${name}: ${sent} requests of browsers`, { timeout: 3_600_000 }, async () => {
    await playAll(`${name}:`, sent, formRequest(screen), async (request) => {
      try {
        await play(request)
      } finally {
        await rows.restore()
      }
    })
  })
})

async function play(request: FormRequest): Promise<void> {
  const event = eventOf(request)
  const { handler } = stand.functions.routes.find(({ functionName }) => functionName === 'dashboard')!
  const settings = { functionName: 'dashboard', timeoutSeconds: lambdas.dashboard.timeoutSeconds }
  const answer = (await invoke(handler, event, settings)) as APIGatewayProxyStructuredResultV2
  const changed = await rows.changed()
  const fault = faultOf(request, answer, changed, `${JSON.stringify(event)}${encoded(request.who, request.fields)}`)
  if (fault)
    throw new Error(`${JSON.stringify(event).slice(0, 1500)} → ${JSON.stringify(answer).slice(0, 600)}: ${fault}`)
}

function eventOf(request: FormRequest) {
  const { who, session, method, path, query, fields, raw, type, headers } = request
  const search = encoded(who, query)
  const cookie = { own: cookies[who], none: '', stale: 'cuecard_session=made-up' }[session]
  return toEvent(
    {
      method,
      url: `${ledger.name(who, path)}${search && `?${search}`}`,
      sourceIp: '192.0.2.1',
      headers: {
        host: 'app.example.com',
        'x-forwarded-proto': 'https',
        ...(cookie && { cookie }),
        ...(method === 'GET' ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(method !== 'GET' && { body: raw ?? encoded(who, fields) }),
    },
    lambdas.dashboard.routes,
  )!
}

function encoded(who: Who, pairs: [string, string][]): string {
  const filled = pairs.map(([field, value]): [string, string] => [field, ledger.name(who, value).toWellFormed()])
  return new URLSearchParams(filled).toString()
}

/** True for a page of Cuecard, whatever its parameters are, and for a file in the bucket. */
function isOwn(target: string): boolean {
  const { origin } = new URL(target, 'https://app.example.com')
  return ['https://app.example.com', new URL(stand.emulator.endpoint).origin].includes(origin)
}

function faultOf(
  { who, session, method, headers }: FormRequest,
  { statusCode = 0, headers: sent, body = '', isBase64Encoded, cookies: set = [] }: APIGatewayProxyStructuredResultV2,
  changed: string[],
  asked: string,
): string | undefined {
  if (statusCode >= 500) return 'is a failure of ours'
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  const html = (sent?.['content-encoding'] === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString()
  const leaked = ledger.leakTo(who, `${html}${JSON.stringify([sent, set])}`, asked)
  if (leaked) return `tells of the other organization: ${leaked}`
  if (/<fuzz-tag/i.test(html)) return 'has markup that was sent'
  if ([sent?.location, sent?.['hx-redirect']].some((target) => target !== undefined && !isOwn(`${target}`)))
    return 'leads elsewhere'
  // A refusal may update the time at which a session was last seen.
  const moved = changed.filter((table) => table !== 'sessions')
  if (moved.length === 0) return undefined
  if (statusCode >= 400) return `is refused, but has changed ${moved}`
  if (session !== 'own' || method === 'GET' || method === 'HEAD') return `must not change ${moved}`
  const isForeign = headers['sec-fetch-site'] !== 'same-origin' && headers.origin !== 'https://app.example.com'
  return isForeign ? `comes from elsewhere, but has changed ${moved}` : undefined
}
