import { createCheck, deleteCheck, getCheck, listChecks, runChecks, updateCheck } from '../../../shared/checks/store.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { onlyPost } from '../../../shared/http/api.ts'
import { byId, listQuery, pageOf, readAfter, respondPage } from '../../../shared/http/pagination.ts'
import type { Router } from '../../../shared/http/router.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import { inContext } from '../../../shared/retrieval/in-context.ts'
import {
  checkExample,
  checkSchema,
  createBody,
  runExample,
  runResponse,
  toCheck,
  toInput,
  toResult,
  updateBody,
} from './schemas.ts'

const collection = '/v1/agents/:agentId/golden-questions'
const one = `${collection}/:goldenQuestionId`
const aQuestion = { description: 'The golden question', schema: checkSchema, example: checkExample }

export function addCheckRoutes(routes: Router, embedder: Embedder) {
  routes.app.use(`${collection}/run`, onlyPost)
  routes
    .get(
      collection,
      {
        operationId: 'listGoldenQuestions',
        summary: 'List golden questions',
        description: 'Newest first, each with the result of its last check.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('golden questions', checkSchema, checkExample),
      },
      async ({ c, key, db, scope, query: { limit, cursor } }) => {
        const list = `golden questions ${scope.agentId}`
        const [after] = readAfter(key, list, cursor, byId) ?? []
        const { questions, hasMore } = await listChecks(db, scope, { limit, after })
        return respondPage(c, key, list, questions.map(toCheck), hasMore ? [questions.at(-1)!.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createGoldenQuestion',
        summary: 'Create a golden question',
        description:
          'A golden question is one whose answer must not get lost. The service asks it at once, and before any change to the served knowledge: a new revision, a deletion, a new title or date. An agent can have at most 500, with 2,000,000 bytes of text together; of these, 200 are asked before a change, first those that block, then those with the oldest results.',
        permission: 'kb:write',
        body: createBody,
        examples: {
          words: {
            question: 'Are you open on Sunday?',
            expects: { words: 'On Sunday we are closed' },
            on_failure: 'block',
          },
          value: { question: 'What does a large Diavola cost?', expects: { value: '$25' } },
          nothing: { question: 'Do you sell used cars?', expects: { nothing: true } },
        },
        responses: { 201: { ...aQuestion, headers: ['Location'] } },
        errors: ['document_not_found'],
      },
      async ({ c, meter, db, scope, body }) => {
        await meter.reserveTokens(estimatedTokens(inContext(body.question, body.history)))
        const created = await createCheck({ db, embedder }, scope, toInput(body))
        c.header('location', `/v1/agents/${scope.agentId}/golden-questions/${created.id}`)
        return c.json(toCheck(created), 201)
      },
    )
    .get(
      one,
      {
        operationId: 'getGoldenQuestion',
        summary: 'Get a golden question',
        description: 'Returns it with the result of its last check.',
        permission: 'kb:read',
        responses: { 200: aQuestion },
      },
      async ({ c, db, scope }) => c.json(toCheck(await getCheck(db, scope, scope.goldenQuestionId))),
    )
    .patch(
      one,
      {
        operationId: 'updateGoldenQuestion',
        summary: 'Update a golden question',
        description: 'Asks it again at once, and removes the documents’ warnings about its earlier results.',
        permission: 'kb:write',
        body: updateBody,
        examples: { block: { on_failure: 'block' } },
        responses: { 200: aQuestion },
        errors: ['document_not_found'],
      },
      async ({ c, meter, db, scope, body }) => {
        const texts = [body.question ?? [], body.history ?? []].flat()
        if (texts.length > 0) await meter.reserveTokens(estimatedTokens(texts.join(' ')))
        return c.json(toCheck(await updateCheck({ db, embedder }, scope, scope.goldenQuestionId, toInput(body))))
      },
    )
    .delete(
      one,
      {
        operationId: 'deleteGoldenQuestion',
        summary: 'Delete a golden question',
        description: 'Removes the documents’ warnings about it, too.',
        permission: 'kb:write',
        responses: { 204: { description: 'It is gone' } },
      },
      async ({ c, db, scope }) => {
        await deleteCheck(db, scope, scope.goldenQuestionId)
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
        responses: { 200: { description: 'A result for each question', schema: runResponse, example: runExample } },
      },
      async ({ c, db, scope }) => {
        const results = await runChecks(db, scope)
        return c.json({ data: results.map(toResult) })
      },
    )
}
