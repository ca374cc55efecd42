// Shows a PDF's pages beside its text, and marks the chosen passage on them. Pages and text are compared by pairs of words, because
// words that are side by side on a page may be apart in the text.

import { announce, startWorker } from './dashboard.js'

const area = document.getElementById('original')
const { file, worker, assets } = area.dataset
const words = JSON.parse(area.dataset.words)
const leaves = area.querySelector('.leaves')
const said = area.querySelector('[role=status]')
/** The pages in order, each with its element and, once read, its words and their places. */
const pages = []
let pdf

new IntersectionObserver(([{ isIntersecting }], observer) => {
  if (!isIntersecting) return
  observer.disconnect()
  open().catch(() => say(words.failed))
}).observe(area)

async function open() {
  say(words.loading)
  const { getDocument, GlobalWorkerOptions } = await import('./pdf.js')
  GlobalWorkerOptions.workerPort = startWorker(worker)
  // The file's link expires within minutes, so the whole file is loaded at once.
  const options = { url: file, disableRange: true, useWasm: false, wasmUrl: new URL(assets, location.href).href }
  pdf = await getDocument({ ...options, maxImageSize: 50_000_000 }).promise
  const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 })
  const template = area.querySelector('template').content.firstElementChild
  for (let number = 1; number <= pdf.numPages; number++) {
    const leaf = template.cloneNode(true)
    leaf.style.aspectRatio = `${width} / ${height}`
    leaf.dataset.page = number
    const canvas = leaf.querySelector('canvas')
    canvas.setAttribute('aria-label', words.page.replace('{page}', number).replace('{pages}', pdf.numPages))
    pages.push({ number, leaf, canvas })
    leaves.append(leaf)
  }
  say('')
  await mark()
  const inView = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) show(pages[target.dataset.page - 1], isIntersecting)
    },
    { root: leaves, rootMargin: '100%' },
  )
  for (const { leaf } of pages) inView.observe(leaf)
  leaves.addEventListener('click', chooseAt)
}

/** Draws a page that is near, and frees the memory of a page that isn't. */
async function show(page, isNear) {
  page.isNear = isNear
  page.task?.cancel()
  page.canvas.width = 0
  const source = await pdf.getPage(page.number)
  if (!page.isNear) return
  const { width, height } = source.getViewport({ scale: 1 })
  page.leaf.style.aspectRatio = `${width} / ${height}`
  const viewport = source.getViewport({ scale: (page.leaf.clientWidth / width) * Math.min(devicePixelRatio, 2) })
  Object.assign(page.canvas, { width: Math.floor(viewport.width), height: Math.floor(viewport.height) })
  page.task = source.render({ canvas: page.canvas, viewport })
  await page.task.promise.catch(() => {})
}

const word = /\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}]+/gu
const alike = (text) => text.normalize('NFKC').toLowerCase()
const wordsIn = (text) => (text.match(word) ?? []).map(alike)
const pairsOf = (list) => (list.length < 2 ? list : list.slice(1).map((each, i) => `${list[i]} ${each}`))

/** The words of a page, each with its rectangles, in fractions of the page's width and height. */
async function readWords(page) {
  if (page.words) return page.words
  const source = await pdf.getPage(page.number)
  const viewport = source.getViewport({ scale: 1 })
  let text = ''
  const runs = []
  for (const { str, transform, width, height, hasEOL } of (await source.getTextContent()).items) {
    runs.push({ at: text.length, length: str.length, transform, width, height })
    text += str + (hasEOL ? '\n' : '')
  }
  const placesOf = (from, to) =>
    runs
      .filter(({ at, length }) => at < to && at + length > from)
      .map(({ at, length, transform: [a, b, c, d, x, y], width, height }) => {
        const [along, up] = [Math.hypot(a, b) || 1, Math.hypot(c, d) || 1]
        const point = (index, rise) => {
          const run = (width * Math.min(Math.max(index - at, 0), length)) / length
          return viewport.convertToViewportPoint(
            x + (a / along) * run + (c / up) * rise,
            y + (b / along) * run + (d / up) * rise,
          )
        }
        const corners = [point(from, -0.2 * height), point(to, 0.9 * height)]
        const [left, right] = corners.map(([x]) => x / viewport.width).sort((one, other) => one - other)
        const [top, bottom] = corners.map(([, y]) => y / viewport.height).sort((one, other) => one - other)
        return { left, top, width: right - left, height: bottom - top }
      })
  page.words = [...text.matchAll(word)].map(({ 0: found, index }) => ({
    text: alike(found),
    places: placesOf(index, index + found.length),
  }))
  return page.words
}

/** The text's passages, each with the link that chooses it and its words. */
function passages() {
  const found = []
  const nodes = document.createTreeWalker(document.getElementById('document'), NodeFilter.SHOW_TEXT)
  while (nodes.nextNode()) {
    const { parentElement, data } = nodes.currentNode
    if (parentElement.matches('.marker')) found.push({ link: parentElement, text: '' })
    else if (parentElement.closest('.said') && found.length > 0) found.at(-1).text += ` ${data}`
  }
  return found.map(({ link, text }) => ({ link, words: wordsIn(text) }))
}

const minRun = 4
const maxGap = 8

/** The page's words that belong to a passage, without pairs that match by chance. */
function hitsIn(page, passage) {
  const pairs = new Set(pairsOf(passage))
  const texts = page.words.map(({ text }) => text)
  const size = Math.min(2, passage.length)
  const found = texts.flatMap((_, i) => (pairs.has(texts.slice(i, i + size).join(' ')) ? [i, i + size - 1] : []))
  const runs = []
  for (const i of new Set(found))
    if (i - runs.at(-1)?.at(-1) <= maxGap) runs.at(-1).push(i)
    else runs.push([i])
  return runs.filter(({ length }) => length >= Math.min(minRun, passage.length)).flat()
}

/** Marks the chosen passage on the page with most of it and on adjacent pages, and scrolls there. */
async function mark() {
  const chosen = passages().find(({ link }) => link.ariaCurrent)
  for (const each of leaves.querySelectorAll('.place')) each.remove()
  if (!chosen) return
  for (const page of pages) await readWords(page)
  const hits = pages.map((page) => hitsIn(page, chosen.words))
  const most = Math.max(...hits.map(({ length }) => length))
  const best = hits.findIndex(({ length }) => length === most)
  const number = chosen.link.textContent
  if (most === 0) return say(words.notFound.replace('{passage}', number))
  for (const [i, found] of hits.entries()) if (Math.abs(i - best) <= 1) drawMarks(pages[i], found)
  const first = pages[best].leaf.querySelector('.place')
  leaves.scrollTop = pages[best].leaf.offsetTop + first.offsetTop - leaves.clientHeight / 4
  say(words.marked.replace('{passage}', number).replace('{page}', best + 1))
}

function drawMarks({ leaf, words }, hits) {
  for (const { left, top, width, height } of hits.flatMap((i) => words[i].places)) {
    const place = document.createElement('i')
    place.className = 'place'
    for (const [side, part] of Object.entries({ left, top, width, height })) place.style[side] = `${part * 100}%`
    leaf.append(place)
  }
}

/** Chooses the passage that the words around a clicked place belong to. */
async function chooseAt({ target, clientX, clientY }) {
  const page = pages[target.closest('.leaf')?.dataset.page - 1]
  if (!page) return
  const box = page.leaf.getBoundingClientRect()
  const [x, y] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height]
  const distances = (await readWords(page)).map(({ places }) =>
    Math.min(...places.map((at) => Math.hypot(at.left + at.width / 2 - x, 3 * (at.top + at.height / 2 - y)))),
  )
  const nearest = distances.indexOf(Math.min(...distances))
  const around = pairsOf(page.words.slice(Math.max(0, nearest - 4), nearest + 5).map(({ text }) => text))
  const scored = passages().map(({ link, words }) => {
    const pairs = new Set(pairsOf(words))
    return { link, score: around.filter((pair) => pairs.has(pair)).length }
  })
  const [best] = scored.sort((one, other) => other.score - one.score)
  if (!best?.score) return
  best.link.scrollIntoView({ block: 'nearest' })
  best.link.click()
}

document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (!pdf || ctx.sourceEvent?.type !== 'click') return
  mark().catch(() => say(words.failed))
  // On a phone the pages are below the text.
  area.scrollIntoView({ block: 'nearest' })
})

function say(text) {
  said.textContent = text
  announce(text)
}
