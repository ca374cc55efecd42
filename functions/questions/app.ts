import type { Embedder } from '../../shared/embedding/embedder.ts'
import { byId, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { listQuestions } from '../../shared/questions/questions.ts'
import { addCheckRoutes } from './checks/routes.ts'
import { keepReportedQuestions } from './reported-questions.ts'
import {
  batchBody,
  batchExample,
  batchResponse,
  listQuery,
  questionExample,
  questionSchema,
  toQuestion,
} from './schemas.ts'

const collection = '/v1/agents/:agentId/questions'

export function questionsApp({ embedder, ...options }: RouterOptions & { embedder: Embedder }) {
  const routes = router('Questions', options)
  addCheckRoutes(routes.tagged('Golden questions'), embedder)
  return routes
    .get(
      collection,
      {
        operationId: 'listQuestions',
        summary: 'List callers’ questions',
        description:
          'Lists the callers’ questions of the last 30 days with their hits, newest first, if the organization keeps them. `call_id` shows the questions and hits of one call, `answered=false` the questions that your documents may not answer.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('questions', questionSchema, questionExample),
      },
      async ({ c, key, db, scope, query: { limit, cursor, ...filters } }) => {
        const list = `questions ${scope.agentId} ${JSON.stringify(filters)}`
        const [after] = readAfter(key, list, cursor, byId) ?? []
        const { questions, hasMore } = await listQuestions(db, scope, { limit, after, ...filters })
        return respondPage(c, key, list, questions.map(toQuestion), hasMore ? [questions.at(-1)!.id] : undefined)
      },
    )
    .post(
      `${collection}/batch`,
      {
        operationId: 'reportQuestions',
        summary: 'Report questions that you answered',
        description:
          'Adds 1 to 100 questions that your own process answered to the [callers’ questions](#listQuestions), if the organization keeps them. A repeat is safe: a question whose id is kept already stays as it is, and counts in `kept`. Not kept are questions with stop words only, those asked more than 30 days ago, and those past 200 that the organization’s callers asked in the same hour.',
        permission: 'kb:read',
        body: batchBody,
        examples: { one: batchExample },
        responses: {
          200: { description: 'The number of kept questions', schema: batchResponse, example: { kept: 1 } },
        },
      },
      async ({ c, db, scope, body }) => {
        // The router says so only of operations whose permission ends in `:write`.
        c.set('unavailableDetail', 'It is unknown whether the questions were kept. Retrying the request is safe.')
        return c.json({ kept: await keepReportedQuestions(db, scope, body.questions) })
      },
    ).app
}
