import { html } from 'hono/html'
import { sql } from 'kysely'
import * as v from 'valibot'
import { maxPerAgent } from '../../../shared/checks/check.ts'
import { createCheck, deleteCheck, type KeptCheck, listChecks } from '../../../shared/checks/store.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../../shared/database/scope.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { time } from '../../../shared/http/input/time.ts'
import { documentId } from '../../../shared/ids.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import { timeZoneOf, wallTime } from '../../../shared/organizations/time-zone.ts'
import { closeAsKept } from '../../../shared/questions/questions.ts'
import { isError } from '../error-view.ts'
import { line } from '../forms.ts'
import type { Html } from '../layout.ts'
import { emptyView, rowsView } from '../list.ts'
import { askPath, checkPath, checksPage, documentPath } from '../paths.ts'
import { refusalOf } from '../refused-change.ts'
import { type Screens, valid } from '../screen.ts'
import { ago, timeIn } from '../times.ts'

const base = '/dashboard/agents/:agentId/golden-questions'
const one = `${base}/:goldenQuestionId` as const
const tab = 'golden-questions'
const writing = { permission: 'kb:write', tab } as const
const maxCharacters = 1000
const text = line(maxCharacters, { missing: 'This is missing.', tooLong: 'This is too long.' })

/** What Ask showed, which a check keeps. `document_id`: null if nothing answered. */
const shown = v.object({
  question: text,
  document_id: v.nullish(documentId, null),
  words: v.nullish(text, null),
  value: v.nullish(text, null),
  as_of: v.nullish(time, null),
})
type Shown = v.InferOutput<typeof shown>

/** The check that expects what Ask showed, and stops a change that would break it. */
function toInput(asked: Shown) {
  const expects = { expects_value: asked.value !== null, expects_nothing: asked.document_id === null }
  return { ...asked, ...expects, history: [], within: 3, on_failure: 'block' as const }
}

/** Checks are made in Ask: a right answer is kept as one. The API, which calls them golden questions, can make others. */
export function addCheckScreens(screens: Screens, embedder: Embedder) {
  screens
    .get(base, { ...writing, permission: 'kb:read' }, async ({ db, scope, may, agent }) => {
      const { questions } = await listChecks(db, scope, { limit: maxPerAgent })
      const mayWrite = may('kb:write')
      return {
        title: 'Checks',
        lead: 'Asked before every change, so that a right answer stays right.',
        actions: mayWrite && html`<a class="button plain" href="${askPath(scope.agentId)}">Ask a question</a>`,
        content: await listView(db, scope, questions, { zone: timeZoneOf(await agent()), mayWrite }),
      }
    })
    .post(base, { ...writing, form: shown }, async ({ db, meter, scope, form, agent }) => {
      await agent()
      const asked = valid(form)
      const { question } = asked
      const equal = await findEqual(db, scope, asked)
      if (equal) {
        if (equal.passed) await closeAsKept(scope, question).execute(db)
        return { redirect: checkPath(scope.agentId, equal.id), flash: { text: 'You already keep this as a check.' } }
      }
      try {
        await meter.admit()
        await meter.reserveTokens(estimatedTokens(question))
        const { passed } = await createCheck({ db, embedder }, scope, toInput(asked))
        if (passed) await closeAsKept(scope, question).execute(db)
        const text = `The check was saved. It ${passed ? 'passes' : 'fails now'}.`
        return { redirect: checksPage(scope.agentId), flash: { text, isError: passed === false } }
      } catch (error) {
        const text = isError(error, 'document_not_found')
          ? 'The document that answered was deleted. Ask again.'
          : refusalOf(error).message
        return { redirect: askPath(scope.agentId, { q: question }), flash: { text, isError: true } }
      }
    })
    .post(`${one}/delete`, writing, async ({ db, scope }) => {
      await deleteCheck(db, scope, scope.goldenQuestionId)
      return { redirect: checksPage(scope.agentId), flash: { text: 'The check was deleted.' } }
    })
}

/** Finds a check that expects the same of the same question. */
async function findEqual(db: Database, { organizationId, agentId }: AgentScope, asked: Shown) {
  const { question, document_id, words, value, as_of } = asked
  const { rows } = await sql<Pick<KeptCheck, 'id' | 'question' | 'passed'>>`
    select id, question, passed from golden_questions
    where organization_id = ${organizationId} and agent_id = ${agentId}
      and question = ${question} and history = '{}' and (document_id, words, value, as_of)
        is not distinct from (${document_id}::uuid, ${words}::text, ${value}::text, ${as_of}::timestamptz)
    limit 1`.execute(db)
  return rows[0]
}

interface Listing {
  zone: string
  mayWrite: boolean
}

/** Lists failing checks first. */
async function listView(
  db: Database,
  scope: AgentScope,
  checks: readonly KeptCheck[],
  listing: Listing,
): Promise<Html> {
  if (checks.length === 0)
    return emptyView(
      'check',
      'No checks yet',
      'Ask a question. If the answer is right and must stay right, keep it as a check.',
      html`<a href="${askPath(scope.agentId)}">Ask</a>`,
    )
  const expected = checks.flatMap(({ document_id }) => document_id ?? [])
  const { rows } = await sql<{ id: string; title: string }>`
    select d.id, d.title from documents d where ${isOfAgent(scope)} and d.id = any(${expected}::uuid[])`.execute(db)
  const links = new Map(
    rows.map(({ id, title }) => [id, html`<a href="${documentPath(scope.agentId, id)}">${title}</a>`]),
  )
  const sorted = checks.toSorted((a, b) => Number(b.passed === false) - Number(a.passed === false))
  return rowsView(sorted.map((check) => rowView(scope.agentId, check, links.get(check.document_id ?? ''), listing)))
}

function rowView(agentId: string, check: KeptCheck, link: Html | undefined, { zone, mayWrite }: Listing): Html {
  const { id, question, passed, as_of, history, checked_at } = check
  const at = as_of ? wallTime(as_of, zone).slice(0, 'yyyy-mm-ddThh:mm'.length) : undefined
  const [tone, state] = passed === null ? ['', 'Not checked yet'] : passed ? ['good', 'Passes'] : ['bad', 'Fails']
  const address = `${checksPage(agentId)}/${id}`
  return html`<li id="question-${id}"><div class="what"><p class="name"><a href="${askPath(agentId, { q: question, at })}">“${question}”</a> <span class="state ${tone}">${state}</span></p>
${history.length > 0 && html`<p class="hint">after ${history.map((turn) => `“${turn}”`).join(', ')}</p>`}
<p class="hint">${expectedBy(check, link)}${as_of && html` · asked as of ${timeIn(as_of, zone)}`}${checked_at && html` · checked ${ago(checked_at)}`}</p></div>
${
  mayWrite &&
  html`<details><summary aria-label="Delete: “${question}”">Delete</summary><p>You’ll no longer be told if a change takes its answer away.</p><form method="post" action="${address}/delete"><button class="danger">Delete check</button></form></details>`
}</li>`
}

/** “Expects “$22” from Prices”. @param link that of the expected document, undefined if it was deleted */
function expectedBy({ document_id, words, value, ...check }: KeptCheck, link: Html | undefined): Html {
  if (check.expects_nothing) return html`Expects no answer`
  const said = [value, words].flatMap((each) => (each === null ? [] : `“${each}”`)).join(' and ')
  const unsaid = check.expects_value ? 'an answer without a price or other value' : 'an answer'
  const warns = check.on_failure === 'warn' && ' · only warns of a change that breaks it'
  return html`Expects ${said || unsaid}${document_id !== null && html` from ${link ?? 'a deleted document'}`}${warns}`
}
