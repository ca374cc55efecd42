import { html } from 'hono/html'
import { type OpenApi, resolve, type Schema } from './document.ts'
import { type Html, inline } from './markdown.ts'

interface Field {
  name: string
  schema: Schema
  isRequired: boolean | undefined
  description?: string | undefined
}

/** One row per field, with nested fields folded. Rows of a request mark what is required, rows of a response what may be missing. */
export function fieldRows(openApi: OpenApi, fields: Field[], direction: 'sent' | 'returned'): Html {
  return html`<ul class="fields">${fields.map((field) => fieldRow(openApi, field, direction))}</ul>`
}

export function fieldsOf(openApi: OpenApi, schema: Schema): Field[] {
  const { properties = {}, required = [] } = resolve(openApi, schema)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
  }))
}

function fieldRow(
  openApi: OpenApi,
  { name, schema, isRequired = false, description }: Field,
  direction: 'sent' | 'returned',
): Html {
  const resolved = resolve(openApi, schema)
  const text = description ?? schema.description ?? resolved.description
  const inner = fieldsOf(openApi, resolved.items ?? resolved)
  return html`<li>
<p class="field"><code>${name}</code> <span class="type">${typeOf(openApi, resolved)}</span>${constraints(resolved)}
${isRequired === (direction === 'sent') && html`<span class="required">${isRequired ? 'required' : 'may be missing'}</span>`}</p>
${text ? html`<p>${inline(text)}</p>` : ''}
${inner.length > 0 && html`<details><summary>${resolved.items ? 'Fields of each' : 'Fields'}</summary>${fieldRows(openApi, inner, direction)}</details>`}</li>`
}

function typeOf(openApi: OpenApi, schema: Schema): string {
  const resolved = resolve(openApi, schema)
  if (resolved.anyOf && !resolved.type)
    return resolved.anyOf.map((alternative) => typeOf(openApi, alternative)).join(' or ')
  const types = [resolved.type ?? []].flat()
  const names = types.map((type) => {
    if (type === 'array') return `list of ${resolved.items ? plural(typeOf(openApi, resolved.items)) : 'values'}`
    if (type === 'string') return resolved.format ?? resolved.contentEncoding ?? 'string'
    return type
  })
  return names.join(' or ')
}

function plural(type: string): string {
  return type === 'uuid' ? 'uuids' : `${type}s`
}

function constraints(schema: Schema): Html {
  const values = schema.enum?.filter((value) => value !== null)
  const parts: Html[] = [
    ...(values ? [html`${values.map((value) => html` <code>${String(value)}</code>`)}`] : []),
    ...[
      range(schema.minimum, schema.maximum, ''),
      range(schema.minLength, schema.maxLength, 'characters'),
      range(schema.minItems, schema.maxItems, 'items'),
    ]
      .filter(Boolean)
      .map((text) => html` · ${text}`),
    ...(['string', 'number', 'boolean'].includes(typeof schema.default)
      ? [html` · default <code>${String(schema.default)}</code>`]
      : []),
  ]
  return parts.length === 0 ? '' : html`<span class="constraints">${parts}</span>`
}

function range(least: number | undefined, most: number | undefined, what: string): string {
  const number = (value: number) => value.toLocaleString('en')
  if (most === undefined) return least ? `at least ${number(least)} ${what}`.trimEnd() : ''
  if (least === most) return `${number(most)} ${what}`
  return least === undefined || (what && least === 0)
    ? `at most ${number(most)} ${what}`.trimEnd()
    : `${number(least)} to ${number(most)} ${what}`.trimEnd()
}
