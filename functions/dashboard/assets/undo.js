// Deletes documents from the list: what it means is said beside a button that undoes it, and the request is sent some seconds later, or
// at once when the page is left. The time stands still while the pointer or the focus is on the message.

import { announce, post } from './dashboard.js'

const seconds = 8
const template = document.getElementById('deletion')
const deletions = new Map()
/** Dims rows without moving them, so that a second click does not hit the next one. */
const dimming = new CSSStyleSheet()
document.adoptedStyleSheets.push(dimming)

addEventListener('click', (event) => {
  const link = event.target.closest('a[href]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  if ('delete' in link.dataset) {
    event.preventDefault()
    if (!deletions.has(link.href)) begin(link, event.detail === 0)
  } else if (deletions.size > 0) {
    event.preventDefault()
    leaveFor(link.href)
  }
})
addEventListener('pagehide', () => {
  for (const deletion of deletions.values()) if (!deletion.isSent) request(deletion).catch(() => {})
})
// The page was restored from the back/forward cache.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

function begin(link, isByKeyboard) {
  const { going, gone, kept, changed, failed, which, edits } = link.dataset
  const notice = template.content.firstElementChild.cloneNode(true)
  const deletion = {
    address: link.href,
    words: { gone, changed, failed, which },
    edits,
    rowId: link.closest('li').id,
    notice,
  }
  notice.querySelector('p').textContent = going
  notice.querySelector('button').addEventListener('click', () => end(deletion, kept))
  for (const name of ['pointerenter', 'focusin']) notice.addEventListener(name, () => clearTimeout(deletion.timer))
  for (const name of ['pointerleave', 'focusout']) notice.addEventListener(name, () => start(deletion))
  deletions.set(deletion.address, deletion)
  dimRows()
  document.getElementById('deletions').append(notice)
  start(deletion)
  if (isByKeyboard) notice.querySelector('button').focus()
}

function start(deletion) {
  clearTimeout(deletion.timer)
  // Removing the notice fires focusout, too.
  if (!deletions.has(deletion.address) || deletion.isSent || deletion.notice.matches(':hover, :focus-within')) return
  deletion.timer = setTimeout(() => carryOut(deletion), seconds * 1000)
}

/** Finishes the deletions first, and stays if one fails. */
async function leaveFor(address) {
  const outcomes = await Promise.all([...deletions.values()].map(carryOut))
  if (outcomes.every(Boolean)) location.assign(address)
}

/** @returns true once it is gone */
async function carryOut(deletion) {
  const { gone, changed, failed } = deletion.words
  try {
    const response = await request(deletion)
    const { status } = response
    if (status === 422) return fail(deletion, await response.text(), deletion.words.which)
    if (status !== 204) return fail(deletion, status === 409 ? changed : failed)
    document.getElementById(deletion.rowId)?.remove()
    end(deletion, gone)
    return true
  } catch {
    fail(deletion, failed)
  }
}

function request(deletion) {
  clearTimeout(deletion.timer)
  deletion.isSent = true
  deletion.notice.querySelector('button').disabled = true
  return post(deletion.address, { edits: deletion.edits })
}

function end({ address, rowId, notice, timer }, message) {
  clearTimeout(timer)
  deletions.delete(address)
  const hadFocus = notice.contains(document.activeElement)
  notice.remove()
  dimRows()
  announce(message)
  document.body.dispatchEvent(new Event('documents-changed'))
  const link = document.querySelector(`#${rowId} [data-delete]`)
  if (hadFocus) (link ?? document.getElementById('main')).focus()
}

/** @param which name of the link to the page that says what would be lost */
function fail(deletion, message, which) {
  end(deletion, '')
  const { notice } = deletion
  notice.querySelector('p').textContent = message
  const link = Object.assign(document.createElement('a'), { href: deletion.address, textContent: which ?? '' })
  if (which) notice.querySelector('button').replaceWith(link)
  else notice.querySelector('button').remove()
  notice.classList.add('bad')
  document.getElementById('flash').replaceChildren(notice)
}

function dimRows() {
  const rows = [...deletions.values()].map(({ rowId }) => `#${rowId}`)
  dimming.replaceSync(rows.length > 0 ? `:is(${rows.join(',')}){opacity:.4;pointer-events:none}` : '')
}
