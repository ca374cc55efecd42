import { html } from 'hono/html'
import type { Level } from '../../shared/retrieval/answerable.ts'
import type { Html } from './layout.ts'
import { words } from './words.ts'

const stateOf = { found: 'good', uncertain: 'wait', nothing: '' } as const

/** Whether a question was answered, in the same words on each screen. */
export function levelView(level: Level): Html {
  return html`<span class="state ${stateOf[level]}">${words.levels[level]}</span>`
}
