import { html } from 'hono/html'
import { sql } from 'kysely'
import * as v from 'valibot'
import { answeringWords } from '../../../shared/checks/broken.ts'
import { maxPerAgent } from '../../../shared/checks/check.ts'
import { createCheck, deleteCheck, type KeptCheck, listChecks, runChecks } from '../../../shared/checks/store.ts'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../../shared/database/scope.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { documentId, newId, uuid } from '../../../shared/ids.ts'
import { searchAfter } from '../../../shared/knowledge/search-after.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { timeZoneOf, wallTime } from '../../../shared/organizations/time-zone.ts'
import { closeAsKept, listQuestions } from '../../../shared/questions/questions.ts'
import { maxTurns } from '../../../shared/retrieval/heard.ts'
import { inContext } from '../../../shared/retrieval/in-context.ts'
import { callId } from '../../../shared/retrieval/schemas.ts'
import { momentOf } from '../as-of.ts'
import { isError } from '../error-view.ts'
import type { Sent } from '../form-view.ts'
import { oneLine } from '../forms.ts'
import type { Html, View } from '../layout.ts'
import { emptyView, rowsView } from '../list.ts'
import { askPath, checkPath, checksPage } from '../paths.ts'
import { refusalOf } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { number } from '../sentences.ts'
import { ago, timeIn } from '../times.ts'
import { checkForm, formView, noDocument, toInput } from './form.ts'

const base = '/dashboard/agents/:agentId/golden-questions'
const one = `${base}/:goldenQuestionId` as const
const d = columnsOf('documents', 'd')
const tab = 'golden-questions'
/** The documents that the form offers: the expected one and the newest. */
const maxDocuments = 200
const writing = { permission: 'kb:write', tab } as const

/** The API calls a check a golden question. */
export function addCheckScreens(screens: Screens, embedder: Embedder) {
  screens
    .get(base, { ...writing, permission: 'kb:read' }, async ({ db, scope, may, agent }) => {
      const { questions } = await listChecks(db, scope, { limit: maxPerAgent })
      const mayWrite = may('kb:write')
      const page = checksPage(scope.agentId)
      const run =
        questions.length > 0 &&
        html`<form method="post" action="${page}/run"><button class="plain">Run all now</button></form>`
      return {
        title: 'Checks',
        lead: 'Asked before every change, so that a right answer stays right.',
        actions: mayWrite && html`${run}<a class="button plain" href="${page}/new">New check</a>`,
        content: await listView(db, scope, questions, { zone: timeZoneOf(await agent()), mayWrite }),
      }
    })
    .post(`${base}/run`, writing, async ({ db, meter, scope }) => {
      await meter.admit()
      const results = await runChecks(db, scope)
      const passed = results.filter(({ passed }) => passed).length
      const text = `${number(passed)} of ${number(results.length)} ${results.length === 1 ? 'passes' : 'pass'}.`
      return { redirect: checksPage(scope.agentId), flash: { text, isError: passed < results.length } }
    })
    .get(`${base}/new`, writing, async ({ c, db, scope }) => {
      const { question = '', document, value, call, before, at } = c.req.query()
      const asked = v.safeParse(v.object({ call_id: callId, after: uuid }), { call_id: call, after: before })
      const { questions } = asked.success
        ? await listQuestions(db, scope, { ...asked.output, limit: maxTurns })
        : { questions: [] }
      const history = questions.map((each) => oneLine(each.question)).toReversed()
      const as_of = momentOf({ question, history }, at) ?? undefined
      const words = value ? undefined : await wordsOf(db, scope, { question, history, as_of }, document)
      const typed = { question, history: history.join('\n'), expected: document, value, words, as_of }
      return await formPage(db, scope, { typed })
    })
    .post(`${base}/new`, { ...writing, form: checkForm }, async ({ db, meter, scope, form }) => {
      const equal = form.isValid ? await findEqual(db, scope, toInput(form.values)) : undefined
      if (equal?.passed) await closeAsKept(scope, equal.question).execute(db)
      if (equal)
        return { redirect: checkPath(scope.agentId, equal.id), flash: { text: 'You already keep this as a check.' } }
      if (!form.isValid) return { ...(await formPage(db, scope, form)), status: 422 }
      const input = toInput(form.values)
      try {
        await meter.admit()
        await meter.reserveTokens(estimatedTokens(inContext(input.question, input.history)))
        const { passed } = await createCheck({ db, embedder }, scope, { ...input, within: 3 })
        if (passed) await closeAsKept(scope, input.question).execute(db)
        const text = `The check was saved. It ${passed ? 'passes' : 'fails now'}.`
        return { redirect: checksPage(scope.agentId), flash: { text, isError: passed === false } }
      } catch (error) {
        const isGone = isError(error, 'document_not_found')
        const { message, status } = isGone ? { message: noDocument, status: 422 as const } : refusalOf(error)
        const faults = { [isGone ? 'expected' : 'question']: message }
        return { ...(await formPage(db, scope, { ...form, faults })), status }
      }
    })
    .post(`${one}/delete`, writing, async ({ db, scope }) => {
      await deleteCheck(db, scope, scope.goldenQuestionId)
      return { redirect: checksPage(scope.agentId), flash: { text: 'The check was deleted.' } }
    })
}

async function formPage(db: Database, scope: AgentScope, sent: Sent): Promise<View> {
  const [documents, agent] = await Promise.all([
    titles(db, scope)
      .orderBy(sql`(${d.id}::text = ${sent.typed?.expected ?? ''}) desc`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(maxDocuments)
      .execute(),
    getAgent(db, scope),
  ])
  return { crumbs: [], title: 'New check', content: formView(scope.agentId, documents, timeZoneOf(agent), sent) }
}

/** The words of a document that answer a question, found by its words. Undefined if none do. */
async function wordsOf(
  db: Database,
  scope: AgentScope,
  { as_of, ...asked }: { question: string; history: string[]; as_of: string | undefined },
  document: string | undefined,
): Promise<string | undefined> {
  if (!v.is(documentId, document) || !asked.question) return undefined
  const sought = { id: newId(), ...asked, as_of: as_of ? new Date(as_of) : null }
  const found = (await searchAfter(db, scope, { changes: [] }, [sought])).get(sought.id)
  const passage = found?.hits.find(({ document_id }) => document_id === document)
  return passage && answeringWords(asked.question, passage.content)
}

/** Finds a check that expects the same of the same question. */
async function findEqual(db: Database, { organizationId, agentId }: AgentScope, input: ReturnType<typeof toInput>) {
  const { question, history, document_id, words, value, as_of } = input
  const { rows } = await sql<Pick<KeptCheck, 'id' | 'question' | 'passed'>>`
    select id, question, passed from golden_questions
    where organization_id = ${organizationId} and agent_id = ${agentId}
      and question = ${question} and history = ${history}::text[] and (document_id, words, value, as_of)
        is not distinct from (${document_id}::uuid, ${words}::text, ${value}::text, ${as_of}::timestamptz)
    limit 1`.execute(db)
  return rows[0]
}

function titles(db: Database, scope: AgentScope) {
  return db.selectFrom('documents as d').select(['d.id', 'd.title']).where(isOfAgent(scope))
}

const titlesOf = (db: Database, scope: AgentScope, ids: readonly string[]) =>
  titles(db, scope).where(sql<boolean>`${d.id} = any(${ids}::uuid[])`).execute()

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
  const titles = new Map((await titlesOf(db, scope, expected)).map(({ id, title }) => [id, title]))
  const sorted = checks.toSorted((a, b) => Number(b.passed === false) - Number(a.passed === false))
  return rowsView(sorted.map((check) => rowView(scope.agentId, check, titles.get(check.document_id ?? ''), listing)))
}

function rowView(agentId: string, check: KeptCheck, title: string | undefined, { zone, mayWrite }: Listing): Html {
  const { id, question, passed, as_of, history, checked_at } = check
  const at = as_of ? wallTime(as_of, zone).slice(0, 'yyyy-mm-ddThh:mm'.length) : undefined
  const [tone, state] = passed === null ? ['', 'Not checked yet'] : passed ? ['good', 'Passes'] : ['bad', 'Fails']
  const address = `${checksPage(agentId)}/${id}`
  return html`<li id="question-${id}"><div class="what"><p class="name"><a href="${askPath(agentId, { q: question, at })}">“${question}”</a> <span class="state ${tone}">${state}</span></p>
${history.length > 0 && html`<p class="hint">after ${history.map((turn) => `“${turn}”`).join(', ')}</p>`}
<p class="hint">${expectedBy(check, title)}${as_of && html` · asked as of ${timeIn(as_of, zone)}`}${checked_at && html` · checked ${ago(checked_at)}`}</p></div>
${
  mayWrite &&
  html`<details><summary aria-label="Delete: “${question}”">Delete</summary><p>You’ll no longer be told if a change takes its answer away.</p><form method="post" action="${address}/delete"><button class="danger">Delete check</button></form></details>`
}</li>`
}

/** @param title that of the expected document, undefined if it was deleted */
function expectedBy({ document_id, words, value, ...check }: KeptCheck, title: string | undefined): string {
  const named = title === undefined ? 'a deleted document' : `“${title}”`
  const part = `A part${document_id === null ? '' : ` of ${named}`}${words === null ? '' : ` with the words “${words}”`}`
  const expected = [
    check.expects_nothing && 'Nothing should answer it',
    (document_id ?? words) !== null && `${part} should be found`,
    check.expects_value && (value === null ? 'No table should give a value' : `A table should give “${value}”`),
    check.on_failure === 'block' ? 'a change that breaks it is stopped' : 'you’re told of a change that breaks it',
  ]
  return expected.filter(Boolean).join(' · ')
}
