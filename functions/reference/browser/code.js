import { partsOf } from './highlight.js'
import { readValue } from './values.js'

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

export function showValue(element, name) {
  const value = readValue(name)
  element.dataset.value = name
  element.textContent = value || `$${name}`
  element.classList.toggle('missing', !value)
  return element
}
