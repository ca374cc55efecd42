import { html } from 'hono/html'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'

/** Shows below a field what is wrong with it; the field's `aria-describedby` names `NAME-fault`. */
export function faultOf(name: string, fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html`<p id="${name}-fault" class="fault">${icon('alert')} ${fault}</p>`
}

export function invalid(fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html` aria-invalid="true"`
}
