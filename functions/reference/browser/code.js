import { partsOf } from './highlight.js'
import { readValue } from './values.js'

/** Shows code with its colours, and the reader's values where its names stand. */
export function showCode(element, text, language) {
  element.replaceChildren(
    ...partsOf(text, language).map(({ kind, text }) => {
      if (kind === 'value') return showValue(document.createElement('var'), text.slice(1))
      if (!kind) return text
      const span = document.createElement('span')
      span.className = kind
      span.textContent = text
      return span
    }),
  )
}

/** Shows the reader's value for a name, or the name. */
export function showValue(element, name) {
  const value = readValue(name)
  element.dataset.value = name
  element.textContent = value || `$${name}`
  element.classList.toggle('missing', !value)
  return element
}
