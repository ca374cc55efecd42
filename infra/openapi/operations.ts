import { documentedRoutes, type Route } from './apps.ts'
import { tags } from './document.ts'

const knowledgeBase = '/v1/agents/{agentId}/knowledge-base'
const intro = `# Operations

\`npm run openapi\` writes this page. [openapi.json](openapi.json) has parameters, schemas and errors. \`KB\` is short for \`${knowledgeBase}\`. Every \`GET\` route supports \`HEAD\`.
`

/** The page of operations in Markdown: a table for each tag, in the order of the OpenAPI document. */
export function operationsPage(): string {
  const routes = documentedRoutes()
  const tables = tags.map(({ name }) => {
    const rows = routes.filter(({ operation }) => operation.tag === name).map(rowOf)
    return `## ${name}\n\n${['| operation | summary | permission |', '|---|---|---|', ...rows].join('\n')}\n`
  })
  return [intro, ...tables].join('\n')
}

function rowOf({ method, path, operation: { summary, permission } }: Route): string {
  return `| \`${method} ${path.replace(knowledgeBase, 'KB')}\` | ${summary} | ${permission === 'none' ? 'no key' : `\`${permission}\``} |`
}
