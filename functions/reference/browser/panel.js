import { showCode } from './code.js'
import { headersOf, languages, urlOf } from './samples.js'
import { fillIn, readValue, setValue, watchValues } from './values.js'

const shownCharacters = 100_000

/** Makes a request's samples follow the reader's changes, and sends it. */
export function startPanel(form, askForKey) {
  const call = JSON.parse(form.dataset.call)
  const answer = form.querySelector('.answer')
  const body = form.querySelector('.body')

  const chosen = (attribute) =>
    Object.fromEntries(
      [...form.querySelectorAll(`[data-${attribute}]`)]
        .map((field) => [field.dataset[attribute], field.value.trim()])
        .filter(([, value]) => value !== ''),
    )

  /** The request as the reader has changed it; a body that is not JSON is only in `rawBody`. */
  function current() {
    const request = { ...call, query: chosen('query'), headers: { ...call.headers, ...chosen('header') } }
    return body ? { ...request, body: parsed(body.value) ?? call.body, rawBody: body.value } : request
  }

  function showSamples() {
    const request = current()
    if (body) body.setAttribute('aria-invalid', String(parsed(body.value) === undefined))
    for (const [language, { write }] of Object.entries(languages))
      showCode(form.querySelector(`pre[data-language=${language}] code`), write(request), language)
  }

  async function send() {
    const request = current()
    const missing = (request.path.match(/(?<=\$)[A-Z_]+/g) ?? []).find((name) => !readValue(name))
    if ((!call.isPublic && !readValue('API_KEY')) || missing === 'AGENT_ID') return askForKey()
    if (missing) {
      form.querySelector('details').open = true
      form.querySelector(`input[data-value=${missing}]`).focus()
      return
    }
    if (request.method === 'DELETE' && !confirm(`Really delete? ${fillIn(request.path)}`)) return
    const button = form.querySelector('.send')
    button.disabled = true
    answer.setAttribute('aria-busy', 'true')
    try {
      await showResponse(request)
    } catch (error) {
      answer.replaceChildren(line(`No response: ${error.message}`))
    } finally {
      button.disabled = false
      answer.removeAttribute('aria-busy')
    }
  }

  async function showResponse(request) {
    const started = performance.now()
    const response = await fetch(fillIn(`$BASE_URL${urlOf(request)}`), {
      method: request.method,
      headers: Object.fromEntries(Object.entries(headersOf(request)).map(([name, value]) => [name, fillIn(value)])),
      body: request.rawBody === undefined ? undefined : fillIn(request.rawBody),
      cache: 'no-store',
    })
    const text = await response.text()
    const milliseconds = Math.round(performance.now() - started)
    const value = parsed(text)
    const shown = value === undefined ? text : JSON.stringify(value, null, 2)
    const pre = document.createElement('pre')
    const code = pre.appendChild(document.createElement('code'))
    showCode(code, shown.slice(0, shownCharacters), 'json')
    answer.replaceChildren(
      line(`${milliseconds} ms`, response.status, response.statusText),
      ...(shown ? [pre] : []),
      ...(shown.length > shownCharacters ? [line(`The first ${shownCharacters} of ${shown.length} characters.`)] : []),
      headersOfResponse(response),
    )
    answer.scrollIntoView({ block: 'nearest' })
    rememberPath(response.headers.get('location'))
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send()
  })
  form.addEventListener('input', showSamples)
  watchValues(showSamples)
}

function line(text, status, statusText) {
  const paragraph = document.createElement('p')
  if (status) {
    const code = document.createElement('b')
    code.className = `status s${Math.floor(status / 100)}`
    code.textContent = status
    paragraph.append(code, ` ${statusText} · `)
  }
  paragraph.append(text)
  return paragraph
}

function headersOfResponse(response) {
  const details = document.createElement('details')
  details.append(Object.assign(document.createElement('summary'), { textContent: 'Headers' }))
  const pre = details.appendChild(document.createElement('pre'))
  pre.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return details
}

/** Uses the ids in the path of a new resource as values of the other requests. */
function rememberPath(location) {
  if (!location) return
  for (const form of document.querySelectorAll('form.call')) {
    const { path } = JSON.parse(form.dataset.call)
    const match = new RegExp(`^${path.replaceAll(/\$([A-Z_]+)/g, '(?<$1>[^/]+)')}$`).exec(location)
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
