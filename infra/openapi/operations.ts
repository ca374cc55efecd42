import { documentedRoutes } from './apps.ts'
import { tags } from './document.ts'

const knowledgeBase = '/v1/agents/{agentId}/knowledge-base'
const intro = `# Operations

\`npm run openapi\` writes this page. [openapi.json](openapi.json) has permissions, parameters, schemas and errors. \`KB\` is short for \`${knowledgeBase}\`. Every \`GET\` route supports \`HEAD\`.
`

/** The page of operations in Markdown: a list for each tag, in the order of the OpenAPI document. */
export function operationsPage(): string {
  const routes = documentedRoutes()
  const lists = tags.map(({ name }) => {
    const lines = routes
      .filter(({ operation }) => operation.tag === name)
      .map(({ method, path, operation }) => `- \`${method} ${path.replace(knowledgeBase, 'KB')}\` ${operation.summary}`)
    return `## ${name}\n\n${lines.join('\n')}\n`
  })
  return [intro, ...lists].join('\n')
}
