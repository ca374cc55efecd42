import { html } from 'hono/html'
import {
  type Content,
  type Endpoint,
  exampleOf,
  type OpenApi,
  type Parameter,
  type Response,
  resolve,
  responseBody,
  samplePath,
  successOf,
} from './document.ts'
import { blocks, type Html, inline } from './markdown.ts'
import { codeBlock, json, requestPanel } from './panel.ts'
import { fieldRows, fieldsOf, foldedFields } from './schema.ts'

export function operationSection(openApi: OpenApi, endpoint: Endpoint): Html {
  const { operationId, summary, description = '', parameters = [], requestBody } = endpoint
  const body = requestBody?.content['application/json']
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div>
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
${blocks(description)}
${parameters.length > 0 && html`<h4>Parameters</h4>${fieldRows(openApi, parameters, 'sent')}`}
${body?.schema && html`<h4>Body</h4>${fieldRows(openApi, fieldsOf(openApi, body.schema), 'sent')}`}
<h4>Responses</h4>
${responses(openApi, endpoint)}
</div>
<div class="code">
${requestPanel({
  method: endpoint.method,
  path: samplePath(endpoint.path),
  query: neededQuery(parameters),
  body: exampleOf(body),
  isPublic: (endpoint.security ?? []).length === 0,
  response: responseBody(openApi, endpoint),
  parameters: parameters.filter((parameter) => parameter.in !== 'path'),
})}
${exampleResponse(openApi, endpoint)}
</div>
</section>`
}

/** Examples of the parameters that a request can't leave out. */
function neededQuery(parameters: Parameter[]): Record<string, string> | undefined {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  if (needed.length === 0) return undefined
  return Object.fromEntries(needed.map(({ name, schema }) => [name, String(schema.examples?.[0])]))
}

function responses(openApi: OpenApi, endpoint: Endpoint): Html {
  const entries = Object.entries(endpoint.responses).map(
    ([status, response]) => [status, resolve<Response>(openApi, response)] as const,
  )
  const errors = entries.filter(([status]) => status >= '400')
  return html`<ul class="responses">${entries
    .filter(([status]) => status < '400')
    .map(([status, { description, content }]) => {
      const schema = jsonContent(content)?.schema
      return html`<li><p>${statusCode(status)} ${inline(description)}</p>
${schema && foldedFields(openApi, schema, 'Fields', 'returned')}</li>`
    })}
${
  errors.length > 0 &&
  html`<li><details><summary>Errors${errors.map(([status]) => html` ${statusCode(status)}`)}</summary>
${errors.map(([status, response]) => causes(status, response))}</details></li>`
}</ul>`
}

function causes(status: string, { description, content }: Response): Html {
  const examples = Object.entries(content?.['application/problem+json']?.examples ?? {})
  if (examples.length === 0) return html`<p>${statusCode(status)} ${inline(description)}</p>`
  return html`${examples.map(
    ([code, { value }]) =>
      html`<details><summary>${statusCode(status)} <code>${code}</code> ${
        (value as { title: string }).title
      }</summary>${codeBlock(json(value))}</details>`,
  )}`
}

/** A response's JSON, also within another format. */
function jsonContent(content: Response['content']): Content | undefined {
  return content?.['application/json'] ?? content?.['application/vnd.cuecard.snapshot']
}

function exampleResponse(openApi: OpenApi, endpoint: Endpoint): Html {
  const [status = ''] = Object.keys(endpoint.responses)
  const example = exampleOf(jsonContent(successOf(openApi, endpoint)?.content))
  return example === undefined
    ? ''
    : html`<p class="quiet">Example of a response ${statusCode(status)}</p>${codeBlock(json(example))}`
}

function statusCode(status: string): Html {
  return html`<b class="status s${status[0]}">${status}</b>`
}
