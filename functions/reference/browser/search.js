const mostResults = 12

/** Searches the page: `/` or Ctrl K opens it, arrows choose, Esc closes it. */
export function startSearch() {
  const dialog = document.querySelector('#search-dialog')
  const input = dialog.querySelector('input')
  const results = dialog.querySelector('.results')
  const status = dialog.querySelector('[role=status]')
  let entries

  function open() {
    entries ??= readEntries()
    dialog.showModal()
    input.select()
    show()
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    const found = words.length === 0 ? [] : rank(entries, words)
    results.replaceChildren(...found.slice(0, mostResults).map((entry) => resultItem(entry, words)))
    status.textContent = words.length === 0 ? '' : found.length === 0 ? 'Nothing found.' : `${found.length} found.`
  }

  document.querySelector('#open-search').addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select')
    const isShortcut = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
    if (!isShortcut || document.querySelector('dialog[open]')) return
    event.preventDefault()
    open()
  })
  input.addEventListener('input', show)
  dialog.addEventListener('keydown', (event) => {
    const stops = [input, ...results.querySelectorAll('a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus()
    } else if (event.key === 'Enter' && document.activeElement === input) stops[1]?.click()
  })
  results.addEventListener('click', (event) => event.target.closest('a') && dialog.close())
  closeOnBackdrop(dialog)
}

/** @param {HTMLDialogElement} dialog */
export function closeOnBackdrop(dialog) {
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
}

/** Operations, and the headings of the guides with the text below each. */
function readEntries() {
  const operations = [...document.querySelectorAll('section.operation')].map((section) => ({
    id: section.id,
    title: section.querySelector('h3').textContent,
    place: section.querySelector('.line').textContent.trim(),
    text: section.querySelector('.text').textContent,
  }))
  const guides = [...document.querySelectorAll('section.guide')].flatMap((section) => {
    const place = section.querySelector('h2').textContent
    return [...section.querySelectorAll('h2, h3')].map((heading) => ({
      id: heading.id || section.id,
      title: heading.textContent,
      place: heading.id ? place : '',
      text: textBelow(heading),
    }))
  })
  return [...guides, ...operations].map((entry) => ({ ...entry, text: entry.text.replaceAll(/\s+/g, ' ') }))
}

function textBelow(heading) {
  let text = ''
  for (let next = heading.nextElementSibling; next && !/^H[23]$/.test(next.tagName); next = next.nextElementSibling)
    text += ` ${next.textContent}`
  return text
}

function rank(entries, words) {
  return entries
    .map((entry) => {
      const title = `${entry.title} ${entry.place}`.toLowerCase()
      const text = entry.text.toLowerCase()
      const scores = words.map((word) => (title.includes(word) ? 3 : text.includes(word) ? 1 : 0))
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
}

function resultItem({ id, title, place, text }, words) {
  const item = document.createElement('li')
  const link = item.appendChild(Object.assign(document.createElement('a'), { href: `#${id}` }))
  const name = Object.assign(document.createElement('strong'), { textContent: title })
  const where = Object.assign(document.createElement('small'), { textContent: place })
  const excerpt = Object.assign(document.createElement('span'), { textContent: excerptOf(text, words) })
  link.append(name, where, excerpt)
  return item
}

function excerptOf(text, words) {
  const at = Math.max(...words.map((word) => text.toLowerCase().indexOf(word)))
  const start = Math.max(0, at - 40)
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 120)} …`
}
