import type { Embedder } from '../../shared/embedding/embedder.ts'
import { byId, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { listQuestions } from '../../shared/questions/questions.ts'
import { addCheckRoutes } from './checks/routes.ts'
import { listQuery, questionExample, questionSchema, toQuestion } from './schemas.ts'

export function questionsApp({ embedder, ...options }: RouterOptions & { embedder: Embedder }) {
  const routes = router('Questions', options)
  addCheckRoutes(routes.tagged('Golden questions'), embedder)
  return routes.get(
    '/v1/agents/:agentId/questions',
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
  ).app
}
