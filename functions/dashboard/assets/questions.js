// Keys go through the rows, and do what suits the row that has the focus.

const rows = () => [...document.querySelectorAll('[data-row]')]
const current = () => document.activeElement.closest('[data-row]')
const steps = { j: 1, k: -1 }

function focus(row) {
  row?.querySelector('a').focus()
  row?.scrollIntoView({ block: 'nearest' })
}

addEventListener('keydown', (event) => {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  const at = rows().indexOf(current())
  if (steps[key]) focus(rows()[at < 0 ? 0 : at + steps[key]])
  else
    current()
      ?.querySelector(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
      ?.click()
})

document.querySelector('.keys')?.removeAttribute('hidden')
