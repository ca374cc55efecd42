import { parse } from 'node:querystring'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { bestSentence } from '../../shared/checks/broken.ts'
import { maxPerAgent } from '../../shared/checks/check.ts'
import type { Failing } from '../../shared/checks/decide.ts'
import { PastLimit } from '../../shared/checks/store.ts'
import type { Warning } from '../../shared/database/tables.ts'
import { type ApiEnv, sentBody } from '../../shared/http/api.ts'
import type { ChecksFail } from '../../shared/knowledge/commit.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { sidesOf } from './documents/diff.ts'
import { isError } from './error-view.ts'
import type { Html, View } from './layout.ts'
import { markedText } from './passage-text.ts'
import { checkPath } from './paths.ts'
import { counted } from './sentences.ts'
import { timeIn } from './times.ts'

/** The query parameter that makes a change even if checks that stop changes would fail. */
const ignore = 'ignore_golden_questions'
export const ignoring = `?${ignore}=true`
export const isIgnoring = (c: Context<ApiEnv>) => c.req.query(ignore) === 'true'

/** Shows the checks that a change would break, and offers to make it anyway. */
export async function refusedView(c: Context<ApiEnv>, { broken }: ChecksFail, zone: string): Promise<View> {
  const address = new URL(c.req.url)
  address.searchParams.set(ignore, 'true')
  const { pathname, search } = address
  const isDeletion = pathname.endsWith('/delete')
  const button = html`<button${isDeletion && html` class="danger"`}>${isDeletion ? 'Delete' : 'Make the change'} all the same</button>`
  const keep = html`<a class="button plain" href="${pathname.replace(/\/\w+$/, '')}">Keep it as it is</a>`
  const lost = isDeletion && broken[0]?.compared.before.passage?.document_title
  return {
    title: isDeletion ? 'Nothing was deleted yet' : 'Nothing was changed yet',
    lead: `${lost ? `Without “${lost}”` : 'After this'}, callers would no longer get what your checks expect.`,
    status: 409,
    content: await askingView(c, broken, { zone, of: 'change', address: pathname + search, button, keep }),
  }
}

/** Asks before a text is stored that checks stop. @param keep keeps the text of now */
export async function stoppedView(
  c: Context<ApiEnv>,
  failing: readonly Failing[],
  shown: { zone: string; of: 'file' | 'earlier'; keep: Html },
): Promise<View> {
  const button = html`<button name="update" value="1">${updating(failing)}</button>`
  const content = await askingView(c, failing, { ...shown, address: c.req.path, button })
  return { title: 'Nothing was changed yet', crumbs: [], status: 409, content }
}

type Asking = Pick<Showing, 'zone' | 'of'> & { address: string; button: Html; keep: Html }

/** Shows what checks expect, with a button that posts what was sent again. */
async function askingView(c: Context<ApiEnv>, failing: readonly Failing[], asking: Asking): Promise<Html> {
  const { zone, of, address, button, keep } = asking
  const fields = Object.entries(parse(Buffer.from(await sentBody(c)).toString()))
  const actions = html`<form method="post" action="${address}">${fields.map(([name, value]) => html`<textarea name="${name}" hidden>\n${[value].flat()[0]}</textarea>`)}
${button}</form> ${keep}`
  return brokenView(c.req.param('agentId') ?? '', failing, { zone, of, actions })
}

/** The button that makes checks expect a new text. */
export const updating = (failing: readonly Failing[], isServed = false) =>
  `Update the ${failing.length === 1 ? 'check' : 'checks'}${isServed ? '' : ' and serve it'}`

export const pastLimits =
  'Too much was asked at once, or the day’s limit is used up. Wait a minute, then try again; the limit is new each day.'

/** Explains why a question can't be checked. @throws any other error */
export function refusalOf(error: unknown): { message: string; status: 422 | 429 | 503 } {
  if (error instanceof PastLimit)
    return {
      message: `An agent can have at most ${maxPerAgent} checks, with 2 MB of text. Delete some first.`,
      status: 422,
    }
  if (isError(error, 'validation_failed'))
    return { message: 'This question can’t be searched for. Put it in other words.', status: 422 }
  if (isError(error, 'rate_limited')) return { message: pastLimits, status: 429 }
  if (error instanceof Unavailable && error.service === 'embedding_provider')
    return {
      message: 'Checks can’t be run at the moment, because search by meaning isn’t available. Try again shortly.',
      status: 503,
    }
  throw error
}

/** How the texts beside each other are called, and what the later one says or lacks. */
const texts = {
  file: ['Old file', 'New file', 'The new file says', 'The new file doesn’t say it.'],
  text: ['Old text', 'New text', 'The new text says', 'The new text doesn’t say it.'],
  earlier: ['Text of now', 'Earlier text', 'The earlier text says', 'The earlier text doesn’t say it.'],
  served: ['Before', 'Now', 'The text now says', 'The text no longer says it.'],
  change: ['Now', 'After the change', 'Callers would hear', 'Callers would get no answer.'],
} as const

type EachView = (id: string, question: string) => Html | false

interface Showing {
  zone: string
  of: keyof typeof texts
  actions: Html | false
  /** A further action for one check. */
  each?: EachView | undefined
}

/** Shows what checks expect and what a text says instead, with both passages, and asks what to do. */
export function brokenView(agentId: string, broken: readonly Failing[], { zone, of, actions, each }: Showing): Html {
  const [earlier, later] = texts[of]
  return html`<section class="panel warn" id="warnings" role="alert">${broken.length === 0 && html`<h2>A check expects something else than the new text says.</h2>`}${broken.map(
    (failing) => {
      const { golden_question_id: id, question, as_of, compared } = failing
      const { before, after } = compared
      const { passage: was } = before
      const { passage: is } = after
      const isElsewhere = was && is && was.document_title !== is.document_title
      const [old, now] = [was?.content ?? '', is?.content ?? '']
      // Texts of two documents have nothing to compare.
      const shown = isElsewhere ? [old, now].map((text) => markedText({ text, places: [] })) : sidesOf(old, now)
      const side = (name: string, { passage }: typeof before, text: Html) =>
        html`<div><p class="hint">${name}</p><div class="said">${passage ? text : html`<p>No answer.</p>`}</div></div>`
      return html`<h2>${sentenceOf(failing, of)}</h2>
<p>The question is <a href="${checkPath(agentId, id)}">“${question}”</a>${as_of && html`, from ${timeIn(new Date(as_of), zone)}`}.</p>
<div class="versions">${side(earlier, before, shown[0]!)}${side(isElsewhere ? `${later}, from “${is.document_title}”` : later, after, shown[1]!)}</div>${each?.(id, question)}`
    },
  )}<div class="actions">${actions}</div></section>`
}

/** “A check expects $58. The new file says $64.” */
function sentenceOf({ value, compared: { check, before, after } }: Failing, of: Showing['of']): string {
  const [, , says, lacks] = texts[of]
  const quoted = (answer: typeof before) => answer.passage && `“${bestSentence(answer.passage, check)}”`
  const words = check.words === null ? quoted(before) : `“${check.words}”`
  const expected = check.expects_nothing ? 'no answer' : value ? (value.lost ?? 'no price or other value') : words
  const other = after.passage && 'no price or other value'
  const said = value ? (value.instead ?? other) : quoted(after)
  return `A check expects ${expected ?? 'an answer'}. ${said ? `${says} ${said}${/[.!?]”$/.test(said) ? '' : '.'}` : lacks}`
}

/** Lists the checks that will fail later, or that can’t be asked now. */
export function laterView(agentId: string, warnings: readonly Warning[], zone: string, each: EachView): Html {
  return html`<section class="panel warn"><h2>${warningText(warnings.length)}</h2><ul class="rows">${warnings.map(
    ({ golden_question_id: id, question, as_of }) =>
      html`<li><p class="what"><a href="${checkPath(agentId, id)}">“${question}”</a>${as_of && html`, from ${timeIn(new Date(as_of), zone)}`}</p>${each(id, question)}</li>`,
  )}</ul></section>`
}

export function warningText(count: number): string {
  return `${counted(count, 'check')} ${count === 1 ? 'has' : 'have'} failed since this document was changed.`
}
