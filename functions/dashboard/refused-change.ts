import { parse } from 'node:querystring'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Broken } from '../../shared/golden/broken.ts'
import { type ApiEnv, sentBody } from '../../shared/http/api.ts'
import type { ApiError } from '../../shared/http/errors.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { brokenView } from './broken-questions.ts'
import { isError } from './error-view.ts'
import type { View } from './layout.ts'
import { words } from './words.ts'

const w = words.golden.broken

/** The parameter with which a form is posted to make a change although golden questions that block would fail. */
const ignore = 'ignore_golden_questions'
export const ignoring = `?${ignore}=true`
export const isIgnoring = (c: Context<ApiEnv>) => c.req.query(ignore) === 'true'

/** Names the golden questions that a change would break, and offers to make it all the same. */
export async function refusedView(c: Context<ApiEnv>, error: ApiError): Promise<View> {
  const agentId = c.req.param('agentId') ?? ''
  const fields = Object.entries(parse(Buffer.from(await sentBody(c)).toString()))
  const address = new URL(c.req.url)
  address.searchParams.set(ignore, 'true')
  return {
    title: 'Nothing was changed',
    lead: 'The change would take away answers that must not get lost.',
    place: 'agents',
    crumbs: [],
    status: 409,
    content: html`${brokenView(agentId, error.extra.golden_questions as Broken[])}
<form method="post" action="${address.pathname}${address.search}">${fields.map(([name, value]) => html`<textarea name="${name}" hidden>\n${[value].flat()[0]}</textarea>`)}
<div class="actions"><button class="danger">Make the change all the same</button> <a class="button plain" href="${address.pathname.replace(/\/\w+$/, '')}">${words.cancel}</a></div></form>`,
  }
}

/** The questions' names, shown on a page that stays. */
export function refusedText({ extra }: ApiError): string {
  return w.named((extra.golden_questions as Broken[]).map(({ question }) => question))
}

/** What to say where a question can't be checked. @throws any other error */
export function refusalOf(error: unknown): { message: string; status: 422 | 429 | 503 } {
  if (isError(error, 'validation_failed')) return { message: error.message, status: 422 }
  if (isError(error, 'rate_limited')) return { message: error.message, status: 429 }
  if (error instanceof Unavailable && error.service === 'embedding_provider')
    return {
      message: 'Questions can’t be checked at the moment, as search by meaning isn’t available. Try again shortly.',
      status: 503,
    }
  throw error
}
