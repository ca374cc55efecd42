import { parse } from 'node:querystring'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { type Broken, valueText } from '../../shared/checks/broken.ts'
import { maxPerAgent } from '../../shared/checks/check.ts'
import { PastLimit } from '../../shared/checks/store.ts'
import type { Warning } from '../../shared/database/tables.ts'
import { type ApiEnv, sentBody } from '../../shared/http/api.ts'
import type { ApiError } from '../../shared/http/errors.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { isError } from './error-view.ts'
import type { Html, View } from './layout.ts'
import { checkPath } from './paths.ts'
import { counted } from './sentences.ts'
import { timeIn } from './times.ts'

/** The query parameter that makes a change even if checks that stop changes would fail. */
const ignore = 'ignore_golden_questions'
export const ignoring = `?${ignore}=true`
export const isIgnoring = (c: Context<ApiEnv>) => c.req.query(ignore) === 'true'

/** Names the checks that a change would break, and offers to make it anyway. */
export async function refusedView(c: Context<ApiEnv>, error: ApiError, zone: string): Promise<View> {
  const agentId = c.req.param('agentId') ?? ''
  const fields = Object.entries(parse(Buffer.from(await sentBody(c)).toString()))
  const address = new URL(c.req.url)
  address.searchParams.set(ignore, 'true')
  return {
    title: 'Nothing was changed',
    lead: 'After this change, callers would no longer get what your checks expect.',
    place: 'agents',
    crumbs: [],
    status: 409,
    content: html`${brokenView(agentId, error.extra.golden_questions as Broken[], zone)}
<form method="post" action="${address.pathname}${address.search}">${fields.map(([name, value]) => html`<textarea name="${name}" hidden>\n${[value].flat()[0]}</textarea>`)}
<div class="actions"><button class="danger">Make the change all the same</button> <a class="button plain" href="${address.pathname.replace(/\/\w+$/, '')}">Cancel</a></div></form>`,
  }
}

const limitTexts: Record<PastLimit['limit'], string> = {
  questions: `An agent can have at most ${maxPerAgent} checks. Delete some first.`,
  bytes: 'The questions of all checks together are too long. Shorten or delete some first.',
}

/** Explains why a question can't be checked. @throws any other error */
export function refusalOf(error: unknown): { message: string; status: 422 | 429 | 503 } {
  if (error instanceof PastLimit) return { message: limitTexts[error.limit], status: 422 }
  if (isError(error, 'validation_failed')) return { message: error.message, status: 422 }
  if (isError(error, 'rate_limited')) return { message: error.message, status: 429 }
  if (error instanceof Unavailable && error.service === 'embedding_provider')
    return {
      message: 'Checks can’t be run at the moment, because search by meaning isn’t available. Try again shortly.',
      status: 503,
    }
  throw error
}

const fromView = (moment: string, zone: string) =>
  html`<span class="hint">From ${timeIn(new Date(moment), zone)}</span>`

type Named = Omit<Broken, 'blocks'> & { blocks?: boolean }

/** Shows the checks that a change would break, and what callers get before and after it. */
export function brokenView(agentId: string, broken: readonly Named[], zone: string): Html {
  return html`<section class="panel broken" role="alert"><h2>${counted(broken.length, 'check')} would fail.</h2><ul class="rows">${broken.map(
    ({ golden_question_id, question, blocks, as_of, lost, instead, value }) =>
      html`<li><div class="what"><p class="name"><a href="${checkPath(agentId, golden_question_id)}">“${question}”</a>${blocks && html` <span class="state bad">Stops the change</span>`}</p>
${as_of && html`<p>${fromView(as_of, zone)}</p>\n`}${
  value
    ? html`<p>Callers now get: ${valueText(value.lost)}</p>
<p>They would get instead: ${valueText(value.instead)}</p>`
    : html`<p>${lost === null ? 'Callers get no answer now' : `Callers now get: “${lost}”`}</p>
<p>${instead ? `They would get instead: “${instead.text}” from “${instead.document_title}”` : 'They would get no answer'}</p>`
}</div></li>`,
  )}</ul></section>`
}

export function warningText(count: number): string {
  return `${counted(count, 'check')} ${count === 1 ? 'has' : 'have'} failed since this document was changed.`
}

/** Lists the checks that have failed since the document was changed. */
export function warningsView(
  { agentId, mayWrite }: { agentId: string; mayWrite: boolean },
  address: string,
  failed: readonly Warning[],
  zone: string,
): Html {
  return html`<section class="panel broken" id="warnings"><h2>${warningText(failed.length)}</h2><ul class="rows">${failed.map(
    ({ golden_question_id, question, as_of }) =>
      html`<li><p class="what"><a href="${checkPath(agentId, golden_question_id)}">“${question}”</a>${as_of && html` ${fromView(as_of, zone)}`}</p>
${mayWrite && html`<form method="post" action="${address}/warnings/${golden_question_id}/dismiss"><button class="quiet" aria-label="Dismiss: “${question}”">Dismiss</button></form>`}</li>`,
  )}</ul></section>`
}
