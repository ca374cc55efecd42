import htmx from './htmx.js'

/** Only htmx turns this host's answers into elements. No string in an answer or an attribute becomes a script. */
const trusted = globalThis.trustedTypes?.createPolicy('cuecard', { createHTML: (html) => html })
function refuse() {
  throw new Error('Scripts made of strings are refused')
}
htmx.registerExtension('cuecard', {
  init: (api) =>
    api.initSecurity({ createHTML: (html) => trusted?.createHTML(html) ?? html, createScript: refuse }, refuse, refuse),
})

// Forms suggest the browser's time zone for an agent.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
for (const field of document.querySelectorAll('[data-zone]')) field.value = timeZone

// On a phone, the tabs are on a line that scrolls.
const tab = document.querySelector('.tabs [aria-current]')
tab?.closest('ul').scrollTo({ left: tab.offsetLeft - innerWidth / 2 })

const announcer = document.getElementById('announcer')

export function announce(text) {
  announcer.textContent = ''
  setTimeout(() => {
    announcer.textContent = text
  }, 100)
}

/** Posts to a screen that answers without a page. Works even while the browser leaves this page. */
export function post(address) {
  const headers = { 'hx-request-type': 'partial' }
  return fetch(address, { method: 'POST', body: new URLSearchParams(), keepalive: true, headers })
}

const flash = document.getElementById('flash')
if (flash?.textContent.trim()) announce(flash.textContent.trim())

document.addEventListener('htmx:after:swap', () => {
  enliven()
  // htmx doesn't change the page's address, so this sets it to the address of the list.
  const address = document.getElementById('documents')?.getAttribute('hx-get')
  if (address && address !== location.pathname + location.search) history.replaceState(null, '', address)
})

// A hidden page does not poll.
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.detail.ctx.sourceEvent?.type === 'every') event.preventDefault()
})

document.addEventListener('htmx:error', () => {
  flash?.replaceChildren(document.getElementById('offline').content.cloneNode(true))
})

/** Shows times in the reader's time zone, and shows the copy buttons. */
function enliven() {
  for (const element of document.querySelectorAll('time[data-local]:not([title])')) {
    element.title = element.textContent
    element.textContent = formats[element.dataset.local].format(new Date(element.dateTime))
  }
  for (const button of document.querySelectorAll('[data-copy][hidden]')) {
    button.hidden = false
    button.addEventListener('click', () => copy(button))
  }
}

const { lang } = document.documentElement
const formats = {
  day: new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }),
  time: new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }),
}

async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim())
  const before = button.textContent
  button.textContent = button.dataset.copied
  announce(button.dataset.copied)
  setTimeout(() => {
    button.textContent = before
  }, 2000)
}

enliven()

/** The browser asks before it leaves a form with typed text. */
let isTyped = false
addEventListener('input', ({ target }) => {
  if (target.closest('form[data-draft]')) isTyped = true
})
addEventListener('beforeunload', (event) => {
  if (isTyped) event.preventDefault()
})

/** Keeps typed text while its form is sent. If the session has ended, signing in leads back to the form, which gets the text again. */
const draftKey = 'cuecard-draft'
addEventListener('submit', ({ target: form }) => {
  isTyped = false
  if (!('draft' in form.dataset)) return
  sessionStorage.setItem(draftKey, JSON.stringify({ action: form.action, fields: [...new FormData(form)] }))
})

const draft = JSON.parse(sessionStorage.getItem(draftKey))
const returnField = document.querySelector('[name=to]')
if (draft && returnField) {
  const { pathname, search } = new URL(draft.action)
  returnField.value = pathname + search
  sessionStorage.setItem(draftKey, JSON.stringify({ ...draft, isInterrupted: true }))
} else if (draft) {
  sessionStorage.removeItem(draftKey)
  if (draft.isInterrupted) restore(draft)
}

function restore({ action, fields }) {
  const form = [...document.querySelectorAll('form[data-draft]')].find((each) => each.action === action)
  if (!form) return
  const typed = Map.groupBy(fields, ([name]) => name)
  for (const element of form.elements) {
    const values = typed.get(element.name)?.map(([, value]) => value) ?? []
    if (element.type === 'checkbox') element.checked = values.includes(element.value)
    else if (values.length > 0) [element.value] = values
    if (element.value) element.closest('details')?.setAttribute('open', '')
  }
  isTyped = true
  flash.replaceChildren(document.getElementById('restored').content.cloneNode(true))
  announce(flash.textContent.trim())
}
