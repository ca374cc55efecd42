import { sql } from 'kysely'
import * as v from 'valibot'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../../shared/database/scope.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { maxPerAgent } from '../../../shared/golden/golden-question.ts'
import {
  createGolden,
  deleteGolden,
  getGolden,
  type KeptGolden,
  listGolden,
  runGolden,
  updateGolden,
} from '../../../shared/golden/store.ts'
import type { Meter } from '../../../shared/http/request-meter.ts'
import { agentPath, documentId, uuid } from '../../../shared/ids.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { listQuestions } from '../../../shared/questions/questions.ts'
import { inContext } from '../../../shared/retrieval/in-context.ts'
import { callId, maxTurns } from '../../../shared/retrieval/schemas.ts'
import { isError } from '../error-view.ts'
import { type Faults, oneLine } from '../forms.ts'
import type { View } from '../layout.ts'
import { goldenPage } from '../paths.ts'
import { refusalOf } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { findTitles, type Titled } from '../titles.ts'
import { words } from '../words.ts'
import { formView, goldenForm, maxDocuments, toInput, toTyped } from './form.ts'
import { deleteView, listActions, listView } from './view.ts'

const w = words.golden
const base = '/dashboard/agents/:agentId/golden-questions'
const one = `${base}/:goldenQuestionId`
const onePath = v.object({ ...agentPath.entries, goldenQuestionId: uuid })
const d = columnsOf('documents', 'd')

export function addGoldenScreens(screens: Screens, embedder: Embedder) {
  screens
    .get(base, { permission: 'kb:read', params: agentPath }, async ({ db, scope, may }) => {
      const [{ id, name }, { questions }] = await Promise.all([
        getAgent(db, scope),
        listGolden(db, scope, { limit: maxPerAgent }),
      ])
      const expected = await titlesOf(
        db,
        scope,
        questions.flatMap(({ document_id }) => document_id ?? []),
      )
      const titles = new Map(expected.map(({ id, title }) => [id, title]))
      const mayWrite = may('kb:write')
      return {
        title: 'Golden questions',
        lead: 'Questions whose answers must not get lost. They’re asked before a document is changed or deleted.',
        agent: { id, name, tab: 'golden-questions' },
        ...(mayWrite && { actions: listActions(id, questions.length > 0) }),
        content: listView(id, { questions, titles, mayWrite }),
      }
    })
    .post(`${base}/run`, { permission: 'kb:write', params: agentPath }, async ({ db, meter, scope }) => {
      await meter.admit()
      const results = await runGolden(db, scope)
      const text = w.ran(results.filter(({ passed }) => passed).length, results.length)
      return { redirect: goldenPage(scope.agentId), flash: { text } }
    })
    .get(`${base}/new`, { permission: 'kb:write', params: agentPath }, async ({ c, db, scope }) => {
      const { question, document, call, before } = c.req.query()
      const asked = v.safeParse(v.object({ call_id: callId, after: uuid }), { call_id: call, after: before })
      const { questions } = asked.success ? await listQuestions(db, scope, { ...asked.output, limit: maxTurns }) : none
      const history = questions
        .map((each) => oneLine(each.question))
        .toReversed()
        .join('\n')
      return await formPage(db, scope, w.add, { question, history, expected: document })
    })
    .post(
      `${base}/new`,
      { permission: 'kb:write', params: agentPath, form: goldenForm },
      async ({ db, meter, scope, form }) => {
        if (!form.isValid) return { ...(await formPage(db, scope, w.add, form.typed, form.faults)), status: 422 }
        try {
          await admit(meter, inContext(form.values.question, form.values.history))
          return saved(scope, await createGolden({ db, embedder }, scope, { ...toInput(form.values), as_of: null }))
        } catch (error) {
          const { status, ...faults } = faultsOf(error)
          return { ...(await formPage(db, scope, w.add, typedOf(form.values), faults)), status }
        }
      },
    )
    .get(`${one}/edit`, { permission: 'kb:write', params: onePath }, async ({ db, scope }) => {
      const kept = await getGolden(db, scope, scope.goldenQuestionId)
      return await formPage(db, scope, 'Edit golden question', toTyped(kept))
    })
    .post(
      `${one}/edit`,
      { permission: 'kb:write', params: onePath, form: goldenForm },
      async ({ db, meter, scope, form }) => {
        const kept = await getGolden(db, scope, scope.goldenQuestionId)
        if (!form.isValid)
          return { ...(await formPage(db, scope, 'Edit golden question', form.typed, form.faults)), status: 422 }
        const { question, history, ...input } = toInput(form.values)
        const isOther = question !== kept.question || history.join('\n') !== kept.history.join('\n')
        try {
          if (isOther) await admit(meter, inContext(question, history))
          const changes = { ...input, ...(isOther && { question, history }) }
          return saved(scope, await updateGolden({ db, embedder }, scope, kept.id, changes))
        } catch (error) {
          const { status, ...faults } = faultsOf(error)
          return { ...(await formPage(db, scope, 'Edit golden question', typedOf(form.values), faults)), status }
        }
      },
    )
    .get(`${one}/delete`, { permission: 'kb:write', params: onePath }, async ({ db, scope }) => {
      const [agent, kept] = await Promise.all([getAgent(db, scope), getGolden(db, scope, scope.goldenQuestionId)])
      return { ...pageOf(agent, 'Delete this golden question?'), content: deleteView(agent.id, kept) }
    })
    .post(`${one}/delete`, { permission: 'kb:write', params: onePath }, async ({ db, scope }) => {
      await deleteGolden(db, scope, scope.goldenQuestionId)
      return { redirect: goldenPage(scope.agentId), flash: { text: 'The golden question was deleted.' } }
    })
}

function pageOf({ id, name }: { id: string; name: string }, title: string) {
  return { title, agent: { id, name, tab: 'golden-questions' }, crumbs: [] } as const
}

async function formPage(
  db: Database,
  scope: AgentScope,
  title: string,
  typed: Parameters<typeof formView>[1]['typed'],
  faults?: Faults,
): Promise<View> {
  const given = v.safeParse(documentId, typed.expected)
  const [agent, newest, expected] = await Promise.all([
    getAgent(db, scope),
    findTitles(db, scope, { limit: maxDocuments }),
    titlesOf(db, scope, given.success ? [given.output] : []),
  ])
  const documents = new Map([...expected, ...newest].map((each) => [each.id, each]))
  return { ...pageOf(agent, title), content: formView(agent.id, { documents: [...documents.values()], typed, faults }) }
}

const typedOf = ({ within, history, ...values }: v.InferOutput<typeof goldenForm>) => ({
  ...values,
  history: history.join('\n'),
  within: `${within}`,
})

const none = { questions: [] }

async function admit(meter: Meter, question: string) {
  await meter.admit()
  await meter.reserveTokens(estimatedTokens(question))
}

function saved({ agentId }: AgentScope, { passed }: KeptGolden) {
  return {
    redirect: goldenPage(agentId),
    flash: { text: w.form.saved[`${passed === true}`], isError: passed === false },
  }
}

/** @throws any error that no field is about */
function faultsOf(error: unknown) {
  if (isError(error, 'document_not_found')) return { expected: w.form.noDocument, status: 422 as const }
  const { message, status } = refusalOf(error)
  return { question: message, status }
}

async function titlesOf(db: Database, scope: AgentScope, ids: readonly string[]): Promise<Titled[]> {
  const isGiven = sql<boolean>`${d.id} = any(${ids}::uuid[])`
  return await db
    .selectFrom('documents as d')
    .select(['d.id', 'd.title'])
    .where(isOfAgent(scope))
    .where(isGiven)
    .execute()
}
