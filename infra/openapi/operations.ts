import { documentedRoutes, type Route } from './apps.ts'
import { openApiDocument, tags } from './document.ts'
import { particularErrors } from './problems.ts'

const knowledgeBase = '/v1/agents/{agentId}/knowledge-base'
const intro = `# Operations

\`npm run openapi\` writes this page from the route metadata. [openapi.json](openapi.json) has the schemas, descriptions and every error; here are the errors that
[other operations](errors.md) do not have. \`KB\` is short for \`${knowledgeBase}\`. Every \`GET\` route supports \`HEAD\`.
`

/** The page of operations in Markdown: a table for each tag, in the order of the OpenAPI document. */
export function operationsPage(): string {
  const routes = documentedRoutes()
  const { paths } = openApiDocument(routes)
  const tables = tags.map(({ name, description }) => {
    const rows = routes.filter(({ operation }) => operation.tag === name).map((route) => rowOf(route, paths))
    return `## ${name}\n\n${description}\n\n${['| operation | what it does | parameters | permission | success | errors |', '|---|---|---|---|---|---|', ...rows].join('\n')}\n`
  })
  return [intro, ...tables].join('\n')
}

function rowOf({ method, path, operation: op }: Route, paths: ReturnType<typeof openApiDocument>['paths']): string {
  const { parameters = [] } = paths[path]![method.toLowerCase()] as { parameters?: { name: string; in: string }[] }
  const optional = parameters.filter((parameter) => parameter.in !== 'path').map(({ name }) => name)
  const cells = [
    code([`${method} ${path.replace(knowledgeBase, 'KB')}`]),
    op.summary,
    code(optional),
    op.permission === 'none' ? 'no key' : code([op.permission]),
    Object.keys(op.responses).join(', '),
    code(particularErrors(op)),
  ]
  return `| ${cells.join(' | ')} |`
}

const code = (names: string[]) => names.map((name) => `\`${name}\``).join(', ')
