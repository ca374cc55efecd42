import type { Embedder } from '../../../shared/embedding/embedder.ts'
import {
  createGolden,
  deleteGolden,
  getGolden,
  listGolden,
  runGolden,
  updateGolden,
} from '../../../shared/golden/store.ts'
import { onlyPost } from '../../../shared/http/api.ts'
import { byId, listQuery, pageOf, readAfter, respondPage } from '../../../shared/http/pagination.ts'
import type { Router } from '../../../shared/http/router.ts'
import { agentPath } from '../../../shared/ids.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import { inContext } from '../../../shared/retrieval/in-context.ts'
import {
  createBody,
  goldenExample,
  goldenPath,
  goldenSchema,
  runExample,
  runResponse,
  toGolden,
  toInput,
  toResult,
  updateBody,
} from './schemas.ts'

const collection = '/v1/agents/:agentId/golden-questions'
const one = `${collection}/:goldenQuestionId`
const aQuestion = { description: 'The golden question', schema: goldenSchema, example: goldenExample }

export function addGoldenRoutes(routes: Router, embedder: Embedder) {
  routes.app.use(`${collection}/run`, onlyPost)
  routes
    .get(
      collection,
      {
        operationId: 'listGoldenQuestions',
        summary: 'List golden questions',
        description: 'Newest first, each with the result of its last check.',
        permission: 'kb:read',
        params: agentPath,
        query: listQuery,
        responses: pageOf('golden questions', goldenSchema, goldenExample),
      },
      async ({ c, key, db, scope, params, query: { limit, cursor } }) => {
        const list = `golden questions ${params.agentId}`
        const [after] = readAfter(key, list, cursor, byId) ?? []
        const { questions, hasMore } = await listGolden(db, scope, { limit, after })
        return respondPage(c, key, list, questions.map(toGolden), hasMore ? [questions.at(-1)!.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createGoldenQuestion',
        summary: 'Create a golden question',
        description:
          'A golden question is one whose answer must not get lost. The service asks it at once, and before any change to the served knowledge: a new revision, a deletion, a new title or date. An agent can have at most 500; of these, 200 are asked before a change, first those that block, then those with the oldest results.',
        permission: 'kb:write',
        params: agentPath,
        body: createBody,
        examples: {
          words: {
            question: 'Are you open on Sunday?',
            expects: { words: 'On Sunday we are closed' },
            on_failure: 'block',
          },
          nothing: { question: 'Do you sell used cars?', expects: { nothing: true } },
        },
        responses: { 201: { ...aQuestion, headers: ['Location'] } },
        errors: ['document_not_found'],
      },
      async ({ c, meter, db, scope, params, body }) => {
        await meter.reserveTokens(estimatedTokens(inContext(body.question, body.history)))
        const created = await createGolden({ db, embedder }, scope, toInput(body))
        c.header('location', `/v1/agents/${params.agentId}/golden-questions/${created.id}`)
        return c.json(toGolden(created), 201)
      },
    )
    .get(
      one,
      {
        operationId: 'getGoldenQuestion',
        summary: 'Get a golden question',
        description: 'Returns it with the result of its last check.',
        permission: 'kb:read',
        params: goldenPath,
        responses: { 200: aQuestion },
      },
      async ({ c, db, scope, params }) => c.json(toGolden(await getGolden(db, scope, params.goldenQuestionId))),
    )
    .patch(
      one,
      {
        operationId: 'updateGoldenQuestion',
        summary: 'Update a golden question',
        description: 'Asks it again at once, and removes the documents’ warnings about its earlier results.',
        permission: 'kb:write',
        params: goldenPath,
        body: updateBody,
        examples: { block: { on_failure: 'block' } },
        responses: { 200: aQuestion },
        errors: ['document_not_found'],
      },
      async ({ c, meter, db, scope, params, body }) => {
        const texts = [body.question ?? [], body.history ?? []].flat()
        if (texts.length > 0) await meter.reserveTokens(estimatedTokens(texts.join(' ')))
        const { goldenQuestionId } = params
        return c.json(toGolden(await updateGolden({ db, embedder }, scope, goldenQuestionId, toInput(body))))
      },
    )
    .delete(
      one,
      {
        operationId: 'deleteGoldenQuestion',
        summary: 'Delete a golden question',
        description: 'Removes the documents’ warnings about it, too.',
        permission: 'kb:write',
        params: goldenPath,
        responses: { 204: { description: 'It is gone' } },
      },
      async ({ c, db, scope, params }) => {
        await deleteGolden(db, scope, params.goldenQuestionId)
        return c.body(null, 204)
      },
    )
    .post(
      `${collection}/run`,
      {
        operationId: 'runGoldenQuestions',
        summary: 'Run the golden questions',
        description: 'Asks all of the agent’s golden questions against the served knowledge.',
        permission: 'kb:write',
        params: agentPath,
        responses: { 200: { description: 'A result for each question', schema: runResponse, example: runExample } },
      },
      async ({ c, db, scope }) => {
        const results = await runGolden(db, scope)
        return c.json({ data: results.map(toResult) })
      },
    )
}
