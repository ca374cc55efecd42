// Uploads files. Each is first announced, for a new document or for the page's document, then posted with the returned form. A retry
// uses the same form after a lost connection, and another form after a refusal.

import { announce, post } from './dashboard.js'

const atOnce = 3
const area = document.getElementById('upload')
/** `replaces` is the id of the existing document that gets the file, if any. */
const { address, replaces } = area.dataset
const words = JSON.parse(area.dataset.words)
const input = area.querySelector('input[type=file]')
const choose = area.querySelector('[data-choose]')
const template = area.querySelector('template')

/** Uploads in order that aren't done, failed or cancelled. */
const uploads = new Set()

/** An error whose message is shown to the person. */
class Refused extends Error {}

choose.hidden = false
choose.addEventListener('click', () => input.click())
input.addEventListener('change', () => {
  add(input.files)
  input.value = ''
})
// Otherwise, a file dropped beside the area would replace the page.
for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault())
for (const name of ['dragover', 'dragleave', 'drop'])
  area.addEventListener(name, () => area.classList.toggle('is-over', name === 'dragover'))
area.addEventListener('drop', (event) => add(event.dataTransfer.files))

addEventListener('beforeunload', (event) => {
  if (uploads.size > 0) event.preventDefault()
})

function add(files) {
  // An old message would stand above the new uploads.
  if (files.length > 0) document.getElementById('flash').replaceChildren()
  for (const file of replaces ? [...files].slice(0, 1) : files) {
    const item = template.content.firstElementChild.cloneNode(true)
    const upload = { file, item }
    item.querySelector('.name').textContent = file.name
    item.querySelector('progress').setAttribute('aria-label', words.progress.replace('{name}', file.name))
    item.querySelector('[data-cancel]').addEventListener('click', () => cancel(upload))
    item.querySelector('[data-retry]').addEventListener('click', () => enqueue(upload))
    area.querySelector('ul').append(item)
    enqueue(upload)
  }
}

function enqueue(upload) {
  uploads.add(upload)
  show(upload, 'waiting', words.waiting)
  startNext()
}

function startNext() {
  const waiting = [...uploads].filter(({ item }) => item.dataset.state === 'waiting')
  for (const upload of waiting.slice(0, atOnce - (uploads.size - waiting.length))) run(upload)
}

async function run(upload) {
  show(upload, 'sending', words.uploading)
  try {
    upload.form ??= await announceFile(upload)
    if (uploads.has(upload)) await sendFile(upload)
    // If the report is lost, the file is found within minutes anyway.
    if (uploads.has(upload)) await post(`${address}/${upload.form.documentId}/uploaded`).catch(() => {})
    if (uploads.has(upload)) finish(upload)
  } catch (error) {
    if (uploads.delete(upload)) show(upload, 'failed', error instanceof Refused ? error.message : words.interrupted)
  }
  // The upload was cancelled while its document was being created.
  if (!upload.item.isConnected && !upload.isDone) dropDocument(upload)
  startNext()
}

/** @returns the form to post the file with, and the document's id */
async function announceFile(upload) {
  const { file } = upload
  const body = new URLSearchParams({ name: file.name, bytes: file.size })
  const target = replaces ? `${address}/${replaces}/file` : `${address}/files`
  const response = await fetch(target, { method: 'POST', body, headers: { accept: 'application/json' } })
  const isJson = response.headers.get('content-type')?.includes('json')
  if (!isJson) throw new Refused(words.refused)
  upload.isFinal = response.status === 422
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer.message)
  return answer
}

/** fetch does not report upload progress. */
function sendFile(upload) {
  const { file, form, item } = upload
  const body = new FormData()
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value)
  body.append('file', file)
  const request = new XMLHttpRequest()
  upload.abort = () => request.abort()
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    item.querySelector('progress').value = loaded / total
  })
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => {
      if (request.status < 300) return resolve()
      dropDocument(upload)
      reject(new Refused(words.refused))
    })
    request.addEventListener('error', () => reject(new Error('the connection broke')))
    request.addEventListener('abort', () => reject(new Error('cancelled')))
    request.open('POST', form.url)
    request.send(body)
  })
}

function finish(upload) {
  upload.isDone = true
  uploads.delete(upload)
  const { documentId } = upload.form
  // A new document's page asks whether its text replaces the other's.
  if (replaces) return location.assign(`${address}/${documentId}`)
  remove(upload.item)
  announce(words.uploaded.replace('{name}', upload.file.name))
  document.body.dispatchEvent(new Event('documents-changed'))
}

function cancel(upload) {
  uploads.delete(upload)
  remove(upload.item)
  upload.abort?.()
  dropDocument(upload)
  startNext()
}

/** Ignores the answer, because the sweeper fails documents without a file. */
function dropDocument(upload) {
  const { form } = upload
  delete upload.form
  if (form && form.documentId !== replaces) post(`${address}/${form.documentId}/delete`).catch(() => {})
}

function show({ item, isFinal }, state, message) {
  item.dataset.state = state
  const says = item.querySelector('.message')
  says.textContent = message
  says.classList.toggle('fault', state === 'failed')
  item.querySelector('progress').hidden = state === 'failed'
  item.querySelector('[data-retry]').hidden = state !== 'failed' || isFinal
  item.querySelector('[data-cancel]').textContent = state === 'failed' ? words.remove : words.cancel
}

function remove(item) {
  if (item.contains(document.activeElement)) choose.focus()
  item.remove()
}
