import { html } from 'hono/html'
import { type OpenApi, resolve, type Schema } from './document.ts'
import { type Html, inline } from './markdown.ts'

interface Field {
  name: string
  schema: Schema
  required?: boolean | undefined
  description?: string | undefined
}

/** Rows of a request mark required fields; rows of a response mark fields that may be missing. */
type Direction = 'sent' | 'returned'

export function fieldRows(openApi: OpenApi, fields: Field[], direction: Direction): Html {
  return html`<ul class="fields">${fields.map((field) => fieldRow(openApi, field, direction))}</ul>`
}

export function fieldsOf(openApi: OpenApi, schema: Schema): Field[] {
  const { properties = {}, required = [] } = resolve(openApi, schema)
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

export function foldedFields(openApi: OpenApi, schema: Schema, summary: string, direction: Direction): Html {
  const fields = fieldsOf(openApi, schema)
  if (fields.length === 0) return ''
  return html`<details><summary>${summary}</summary>${fieldRows(openApi, fields, direction)}</details>`
}

function fieldRow(openApi: OpenApi, field: Field, direction: Direction): Html {
  const { name, required = false } = field
  const schema = resolve(openApi, field.schema)
  const description = field.description ?? field.schema.description ?? schema.description
  return html`<li>
<p><b><code>${name}</code></b> <span class="quiet">${typeOf(openApi, schema)}${constraints(schema)}</span>
${required === (direction === 'sent') && html`<span class="required">${required ? 'required' : 'may be missing'}</span>`}</p>
${description && html`<p class="quiet">${inline(description)}</p>`}
${foldedFields(openApi, schema.items ?? schema, schema.items ? 'Fields of each' : 'Fields', direction)}</li>`
}

function typeOf(openApi: OpenApi, schema: Schema): string {
  const { anyOf = [], type = [], items, format, contentEncoding } = resolve(openApi, schema)
  const types = [type].flat()
  if (types.length === 0) return anyOf.map((alternative) => typeOf(openApi, alternative)).join(' or ')
  const names = types.map((type) => {
    if (type === 'array') return `list of ${items ? `${typeOf(openApi, items)}s` : 'values'}`
    return type === 'string' ? (format ?? contentEncoding ?? type) : type
  })
  return names.join(' or ')
}

function constraints(schema: Schema): Html {
  const values = (schema.enum ?? []).filter((value) => value !== null)
  const ranges = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ].filter(Boolean)
  const preset = ['string', 'number', 'boolean'].includes(typeof schema.default) && String(schema.default)
  return html`${values.map((value) => html` <code>${String(value)}</code>`)}${ranges.map((text) => ` · ${text}`)}${
    preset && html` · default <code>${preset}</code>`
  }`
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString('en')
  if (most === undefined) return least ? `at least ${number(least)}${unit}` : ''
  if (least === most) return `${number(most)}${unit}`
  return least === undefined || (unit && least === 0)
    ? `at most ${number(most)}${unit}`
    : `${number(least)} to ${number(most)}${unit}`
}
