import { html, raw } from 'hono/html'

const drawings = {
  agents:
    '<path d="M4 14v-2a8 8 0 0 1 16 0v2"/><path d="M4 14h3v5H6a2 2 0 0 1-2-2zM20 14h-3v5h1a2 2 0 0 0 2-2z"/><path d="M18 19c0 2-2 2.5-4 2.5"/>',
  calls:
    '<path d="M6.5 3.5h3l1.5 4-2 1.5a12 12 0 0 0 6 6l1.5-2 4 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 5.5a2 2 0 0 1 2-2z"/>',
  settings: '<path d="M4 7h9M19 7h1M4 17h1M11 17h9"/><circle cx="16" cy="7" r="2.5"/><circle cx="8" cy="17" r="2.5"/>',
  leave: '<path d="M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4M10 8l-4 4 4 4M6 12h9"/>',
  document: '<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5M9 13h7M9 17h5"/>',
  check: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  more: '<path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3"/>',
  alert: '<path d="M12 3.5 22 20.5H2z"/><path d="M12 10v5M12 18v.01"/>',
} as const

export function icon(name: keyof typeof drawings) {
  return html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${raw(drawings[name])}</svg>`
}

/** The product's logo: a cue card shaped like a speech bubble. assets/icon.svg has the same drawing. */
export function mark() {
  return html`<svg class="icon" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path fill="#0b63c5" d="M6 3h20a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-9.5l-7 6.5V23H6a4 4 0 0 1-4-4V7a4 4 0 0 1 4-4z"/><path stroke="#fff" stroke-width="2.5" stroke-linecap="round" d="M9 10.5h14M9 16h8"/></svg>`
}
