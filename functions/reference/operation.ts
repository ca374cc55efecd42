import { html } from 'hono/html'
import {
  type Endpoint,
  exampleOf,
  type OpenApi,
  type Response,
  resolve,
  responseBody,
  samplePath,
  successOf,
} from './document.ts'
import { blocks, type Html, inline } from './markdown.ts'
import { codeBlock, json, requestPanel } from './panel.ts'
import { fieldRows, fieldsOf } from './schema.ts'

/** An operation: description, parameters and responses, beside a request to copy and send. */
export function operationSection(openApi: OpenApi, endpoint: Endpoint): Html {
  const { operationId, summary, description = '', parameters = [], requestBody } = endpoint
  const body = requestBody?.content['application/json']
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="text">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
${blocks(description)}
${
  parameters.length > 0
    ? html`<h4>Parameters</h4>${fieldRows(
        openApi,
        parameters.map((parameter) => ({ ...parameter, isRequired: parameter.required })),
        'sent',
      )}`
    : ''
}
${body?.schema ? html`<h4>Body</h4>${fieldRows(openApi, fieldsOf(openApi, body.schema), 'sent')}` : ''}
<h4>Responses</h4>
${responses(openApi, endpoint)}
</div>
<div class="code">
${requestPanel({
  method: endpoint.method,
  path: samplePath(endpoint.path),
  body: exampleOf(body),
  isPublic: (endpoint.security ?? []).length === 0,
  response: responseBody(openApi, endpoint),
  parameters: parameters.filter((parameter) => parameter.in !== 'path'),
})}
${exampleResponse(openApi, endpoint)}
</div>
</section>`
}

function responses(openApi: OpenApi, endpoint: Endpoint): Html {
  const entries = Object.entries(endpoint.responses).map(([status, response]) => ({
    status: Number(status),
    response: resolve<Response>(openApi, response),
  }))
  const errors = entries.filter(({ status }) => status >= 400)
  return html`<ul class="responses">${entries
    .filter(({ status }) => status < 400)
    .map(({ status, response }) => {
      const schema = response.content?.['application/json']?.schema
      const fields = schema ? fieldsOf(openApi, schema) : []
      return html`<li><p>${statusCode(status)} ${inline(response.description)}</p>
${fields.length > 0 && html`<details><summary>Fields</summary>${fieldRows(openApi, fields, 'returned')}</details>`}</li>`
    })}
${
  errors.length > 0
    ? html`<li><details><summary>Errors ${errors.map(
        ({ status }) => html`${statusCode(status)} `,
      )}</summary><dl class="errors">${errors.map(
        ({ status, response }) => html`<dt>${statusCode(status)}</dt><dd>${causes(response)}</dd>`,
      )}</dl></details></li>`
    : ''
}</ul>`
}

function causes(response: Response): Html {
  const examples = Object.entries(response.content?.['application/problem+json']?.examples ?? {})
  if (examples.length === 0) return html`<p>${inline(response.description)}</p>`
  return html`${examples.map(
    ([code, { value }]) =>
      html`<details class="cause"><summary><code>${code}</code> ${
        (value as { title: string }).title
      }</summary>${codeBlock(json(value), 'json')}</details>`,
  )}`
}

function exampleResponse(openApi: OpenApi, endpoint: Endpoint): Html {
  const [status] = Object.keys(endpoint.responses)
  const example = exampleOf(successOf(openApi, endpoint)?.content?.['application/json'])
  return example === undefined
    ? ''
    : html`<p class="caption">Example of a response ${statusCode(Number(status))}</p>${codeBlock(json(example), 'json')}`
}

function statusCode(status: number): Html {
  return html`<b class="status s${Math.floor(status / 100)}">${status}</b>`
}
