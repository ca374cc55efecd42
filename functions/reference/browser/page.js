import { headersOf, languages, urlOf, variables } from './samples.js'

const all = (selector) => document.querySelectorAll(selector)
const create = (tag, properties) => Object.assign(document.createElement(tag), properties)

/** The prefix of the reader's values, which are kept only for this tab. */
const prefix = 'cuecard:$'
const baseUrl = new URL('..', location.href).href.replace(/\/$/, '')
const readValue = (name) => (name === 'BASE_URL' ? baseUrl : (sessionStorage.getItem(prefix + name) ?? ''))
const fillIn = (text) => text.replaceAll(variables, (whole, name) => readValue(name) || whole)

/** Removes characters that could end a string in a sample, and white space around a pasted value. */
function setValue(name, value) {
  sessionStorage.setItem(prefix + name, value.replaceAll(/[^!-~]|["'`\\$]/g, ''))
  showValues()
}

function forgetValues() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  showValues()
}

const openValues = document.querySelector('#open-values')
const askForKey = () => document.querySelector('#values').showModal()

function showValues() {
  for (const input of all('input[data-value]')) {
    const value = readValue(input.dataset.value)
    if (input !== document.activeElement || !value) input.value = value
  }
  for (const element of all('var')) element.textContent = fillIn(`$${element.title}`)
  const [key, agent] = [readValue('API_KEY'), readValue('AGENT_ID')]
  openValues.textContent = key ? `${key.slice(0, 8)}…${agent ? '' : ', no agent'}` : 'Set key and agent'
  openValues.classList.toggle('missing', !key || !agent)
  document.querySelector('header .forget').hidden = !key && !agent
}

/** Makes a request's samples follow the reader's changes, and sends it. */
function startRequest(form) {
  const call = JSON.parse(form.dataset.call)
  const answer = form.querySelector('.answer')
  const body = form.querySelector('.body')

  const chosen = (attribute) =>
    Object.fromEntries(
      [...form.querySelectorAll(`[data-${attribute}]`)]
        .map((field) => [field.dataset[attribute], field.value.trim()])
        .filter(([, value]) => value !== ''),
    )
  const current = () => ({
    ...call,
    query: chosen('query'),
    headers: { ...call.headers, ...chosen('header') },
    ...(body && { body: parsed(body.value) ?? call.body }),
  })

  form.addEventListener('input', () => {
    body?.setAttribute('aria-invalid', String(parsed(body.value) === undefined))
    for (const [language, { write }] of Object.entries(languages)) {
      const parts = write(current()).split(variables)
      const nodes = parts.map((part, i) =>
        i % 2 ? create('var', { title: part, textContent: fillIn(`$${part}`) }) : part,
      )
      form.querySelector(`pre[data-language=${language}] code`).replaceChildren(...nodes)
    }
  })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const missing = [...call.path.matchAll(variables)].map(([, name]) => name).find((name) => !readValue(name))
    if ((!call.isPublic && !readValue('API_KEY')) || missing === 'AGENT_ID') return askForKey()
    if (missing) {
      form.querySelector('details').open = true
      return form.querySelector(`input[data-value=${missing}]`).focus()
    }
    if (call.method === 'DELETE' && !confirm(`Really delete? ${fillIn(call.path)}`)) return
    event.submitter.disabled = true
    try {
      answer.replaceChildren(...(await send(current(), body?.value)))
      answer.scrollIntoView({ block: 'nearest' })
    } catch (error) {
      answer.textContent = `No response: ${error.message}`
    }
    event.submitter.disabled = false
  })
}

/** @param body as it was typed, which need not be JSON @returns elements that show the response */
async function send(request, body) {
  const started = performance.now()
  const headers = Object.entries(headersOf(request)).map(([name, value]) => [name, fillIn(value)])
  const response = await fetch(fillIn(`$BASE_URL${urlOf(request)}`), {
    method: request.method,
    headers: Object.fromEntries(headers),
    body: body && fillIn(body),
    cache: 'no-store',
  })
  const text = await response.text()
  const { status, statusText } = response
  const line = create('p')
  line.append(
    create('b', { className: `status s${Math.floor(status / 100)}`, textContent: status }),
    ` ${statusText} · ${Math.round(performance.now() - started)} ms`,
  )
  const details = create('details')
  const shownHeaders = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  details.append(
    create('summary', { textContent: 'Headers' }),
    create('pre', { textContent: shownHeaders, tabIndex: 0 }),
  )
  rememberPath(response.headers.get('location'))
  const value = parsed(text)
  const pre = create('pre', { textContent: value === undefined ? text : JSON.stringify(value, null, 2), tabIndex: 0 })
  return text ? [line, pre, details] : [line, details]
}

/** Uses the ids in the path of a new resource as values of the other requests. */
function rememberPath(location) {
  for (const form of location ? all('form.call') : []) {
    const { path } = JSON.parse(form.dataset.call)
    const match = new RegExp(`^${path.replaceAll(variables, '(?<$1>[^/]+)')}$`).exec(location)
    for (const [name, value] of Object.entries(match?.groups ?? {})) setValue(name, value)
  }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function showLanguage(language) {
  sessionStorage.setItem('cuecard:language', language)
  for (const button of all('button[data-language]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language))
  for (const pre of all('pre[data-language]')) pre.hidden = pre.dataset.language !== language
}

async function copyCode(button) {
  await navigator.clipboard.writeText(button.closest('.call, .block').querySelector('pre:not([hidden])').textContent)
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}

document.addEventListener('input', ({ target: { dataset, value } }) => dataset.value && setValue(dataset.value, value))
document.addEventListener('click', (event) => {
  const { target } = event
  const { language } = target.dataset
  if (language) {
    const before = target.getBoundingClientRect().top
    showLanguage(language)
    // Keeps the reader's place, since samples above may have become longer or shorter.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' })
  }
  if (target.matches('.copy')) copyCode(target)
  if (target.matches('.forget')) forgetValues()
  if (target.matches('#open-values, a[href="#values"]')) {
    event.preventDefault()
    askForKey()
  }
})

/** Marks the section in view in the contents, which close on a narrow screen when a link is clicked. */
const contents = document.querySelector('#contents')
contents.addEventListener('click', ({ target }) => target.closest('a') && contents.hidePopover())
const links = new Map([...contents.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]))
const observer = new IntersectionObserver(
  (entries) => {
    const link = links.get(entries.find(({ isIntersecting }) => isIntersecting)?.target.id)
    if (!link) return
    contents.querySelector('[aria-current]')?.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'location')
    link.scrollIntoView({ block: 'nearest' })
  },
  { rootMargin: '-20% 0px -79% 0px' },
)
for (const id of links.keys()) observer.observe(document.getElementById(id))

for (const form of all('form.call')) startRequest(form)
showValues()
showLanguage(sessionStorage.getItem('cuecard:language') ?? 'curl')
