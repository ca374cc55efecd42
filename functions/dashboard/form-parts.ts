import { html } from 'hono/html'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'

/** What is wrong with a field, below it; the field names `NAME-fault` in `aria-describedby`. */
export function faultOf(name: string, fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html`<p id="${name}-fault" class="fault">${icon('alert')} ${fault}</p>`
}

/** An attribute of a field with a fault. */
export function invalid(fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html` aria-invalid="true"`
}
