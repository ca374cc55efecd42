// Deletes documents from the list, one or those selected: what it means is said beside a button that undoes it, and the requests are sent
// some seconds later, or at once when the page is left. The time stands still while the pointer or the focus is on the message.

import { announce, post } from './dashboard.js'

const seconds = 8
const template = document.getElementById('deletion')
const deletions = new Set()
/** Strikes rows through without moving them, so that a second click does not hit the next one. */
const striking = new CSSStyleSheet()
document.adoptedStyleSheets.push(striking)

addEventListener('click', (event) => {
  const link = event.target.closest('a[href], [data-delete-selected]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  if ('delete' in link.dataset) {
    event.preventDefault()
    begin([link], link.dataset, event.detail === 0)
  } else if ('deleteSelected' in link.dataset) {
    const boxes = [...document.querySelectorAll('[form=selection]:checked')]
    begin(
      boxes.map((box) => box.closest('li').querySelector('[data-delete]')),
      link.dataset,
      event.detail === 0,
    )
    link.form.reset()
  } else if (deletions.size > 0) {
    event.preventDefault()
    leaveFor(link.href)
  }
})
addEventListener('pagehide', () => {
  for (const deletion of deletions) if (!deletion.isSent) request(deletion)
})
// The page was restored from the back/forward cache.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

const allGoing = () => [...deletions].flatMap(({ documents }) => documents)

/** @param words what is said of all: `going`, `gone` and `kept`, in which `{count}` is how many they are */
function begin(links, words, isByKeyboard) {
  const documents = links
    .filter(({ href }) => !allGoing().some(({ address }) => address === href))
    .map((link) => ({ ...link.dataset, address: link.href, rowId: link.closest('li').id }))
  if (documents.length === 0) return
  const { going, gone, kept } = documents.length === 1 ? documents[0] : words
  const say = (text) => text.replace('{count}', documents.length)
  const notice = template.content.firstElementChild.cloneNode(true)
  const deletion = { documents, gone: say(gone), notice }
  notice.querySelector('p').textContent = say(going)
  notice.querySelector('button').addEventListener('click', () => end(deletion, say(kept)))
  for (const name of ['pointerenter', 'focusin']) notice.addEventListener(name, () => clearTimeout(deletion.timer))
  for (const name of ['pointerleave', 'focusout']) notice.addEventListener(name, () => start(deletion))
  deletions.add(deletion)
  strikeRows()
  document.getElementById('deletions').append(notice)
  start(deletion)
  if (isByKeyboard) notice.querySelector('button').focus()
}

function start(deletion) {
  clearTimeout(deletion.timer)
  // Removing the notice fires focusout, too.
  if (!deletions.has(deletion) || deletion.isSent || deletion.notice.matches(':hover, :focus-within')) return
  deletion.timer = setTimeout(() => carryOut(deletion), seconds * 1000)
}

/** Finishes the deletions first, and stays if one fails. */
async function leaveFor(address) {
  const outcomes = await Promise.all([...deletions].map(carryOut))
  if (outcomes.every(Boolean)) location.assign(address)
}

/** @returns true once all its documents are gone */
async function carryOut(deletion) {
  const faults = (await Promise.all(request(deletion))).filter(Boolean)
  end(deletion, faults.length > 0 ? '' : deletion.gone)
  if (faults.length === 0) return true
  document.getElementById('flash').replaceChildren(...faults.map(faultNotice))
}

/** @returns for each document, what went wrong */
function request(deletion) {
  clearTimeout(deletion.timer)
  deletion.isSent = true
  deletion.notice.querySelector('button').disabled = true
  return deletion.documents.map(remove)
}

async function remove({ address, rowId, edits, changed, failed, which }) {
  try {
    const response = await post(address, { edits })
    const { status } = response
    if (status === 422) return { message: await response.text(), address, which }
    if (status !== 204) return { message: status === 409 ? changed : failed }
    document.getElementById(rowId)?.remove()
  } catch {
    return { message: failed }
  }
}

function end(deletion, message) {
  const { documents, notice, timer } = deletion
  clearTimeout(timer)
  deletions.delete(deletion)
  const hadFocus = notice.contains(document.activeElement)
  notice.remove()
  strikeRows()
  announce(message)
  document.body.dispatchEvent(new Event('documents-changed'))
  const link = document.querySelector(`#${documents[0].rowId} [data-delete]`)
  if (hadFocus) (link ?? document.getElementById('main')).focus()
}

/** Says what went wrong, with a link to the page that says what would be lost. */
function faultNotice({ message, address, which }) {
  const notice = template.content.firstElementChild.cloneNode(true)
  notice.querySelector('p').textContent = message
  notice
    .querySelector('button')
    .replaceWith(...(which ? [Object.assign(document.createElement('a'), { href: address, textContent: which })] : []))
  notice.classList.add('bad')
  return notice
}

function strikeRows() {
  const rows = allGoing().map(({ rowId }) => `#${rowId}`)
  striking.replaceSync(
    rows.length > 0
      ? `:is(${rows.join(',')}){background:var(--raised);text-decoration:line-through;pointer-events:none}`
      : '',
  )
}
