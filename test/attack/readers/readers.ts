import * as v from 'valibot'
import { inScope } from '../../../functions/crawler/site/address.ts'
import { isSameText } from '../../../functions/crawler/site/noise.ts'
import { fetchPage } from '../../../functions/crawler/site/page.ts'
import { robotsOf } from '../../../functions/crawler/site/robots.ts'
import { begunReading, readNext } from '../../../functions/crawler/site/sitemap.ts'
import { diffView } from '../../../functions/dashboard/documents/diff.ts'
import { correctionsAfter, lostCorrections } from '../../../functions/dashboard/documents/text/corrections.ts'
import { markedText, passageText } from '../../../functions/dashboard/passage-text.ts'
import { wordingOf } from '../../../functions/dashboard/questions/features.ts'
import { groupQuestions } from '../../../functions/dashboard/questions/grouping.ts'
import { readFile } from '../../../functions/extraction/text/read-file.ts'
import { message as mcpMessage } from '../../../functions/mcp/schemas.ts'
import { fitting, onOneLine, passageOf } from '../../../functions/platforms/answer-text.ts'
import { questionIn, questionOf } from '../../../functions/platforms/question.ts'
import { retellCall, vapiMessage } from '../../../functions/platforms/schemas.ts'
import { questionsByLine } from '../../../infra/client/questions/questions-file.ts'
import { CommandError } from '../../../infra/command-line/command-error.ts'
import { normalized } from '../../../shared/checks/check.ts'
import { chunk } from '../../../shared/chunking/chunker.ts'
import { corrected } from '../../../shared/documents/text/corrections.ts'
import { likenessLines, likenessName } from '../../../shared/documents/text/likeness.ts'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import { safeWords } from '../../../shared/embedding/provider-words.ts'
import { toFileName } from '../../../shared/files/file-url.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { ifMatch } from '../../../shared/http/etag.ts'
import { readJson } from '../../../shared/http/input/json-body.ts'
import { metadataFilter } from '../../../shared/http/input/metadata.ts'
import { coverageOf } from '../../../shared/retrieval/coverage.ts'
import { keywordQuery } from '../../../shared/retrieval/keyword/keyword-query.ts'
import { orderedByRuns } from '../../../shared/retrieval/letter-runs.ts'
import { hitExample, query as queryField } from '../../../shared/retrieval/schemas.ts'
import { vocabularyOf } from '../../../shared/retrieval/value/reading.ts'
import { findValue } from '../../../shared/retrieval/value/value.ts'
import { indexedTerms } from '../../../shared/terms/indexed-terms.ts'
import { placesOf } from '../../../shared/terms/term-places.ts'
import { termsOf } from '../../../shared/terms/terms.ts'
import { wordsOf } from '../../../shared/terms/words.ts'
import { cleanText } from '../../../shared/text/clean-text.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'
import { saneTitle } from '../../../shared/text/title.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import { canonical } from '../../../shared/websites/address.ts'
import { docxOf, epubOf, paragraph, pptxOf, xlsxOf } from '../../files/office-files.ts'
import { pagePdf } from '../../files/pdf-of.ts'
import { instantClient } from '../../sources/site/instant-client.ts'
import { type Answer, requestTo, Site } from '../../sources/sites/site.ts'

interface Reader {
  /** The most UTF-16 code units at once; a longer text is read in parts. */
  limit?: number
  /** The most microseconds per byte, if a package takes more than usual. */
  most?: number
  /** The total UTF-16 code units, instead of a megabyte, if a reader is slow for any text. */
  all?: number
  read: (text: string) => unknown
}

const maxPassage = 32_768
const maxQuestion = 8_000

const url = 'https://shop.example'
function clientOf(pages: Record<string, string | Answer>) {
  const site = new Site(pages)
  site.url = url
  return instantClient(requestTo(site))
}
const page = (type: string) => (body: string) =>
  fetchPage(clientOf({ '/': { headers: { 'content-type': type }, body } }), `${url}/`)
const sitemap = (body: string) =>
  readNext(clientOf({ '/sitemap.xml': body }), begunReading(`${url}/sitemap.xml`), {
    allows: () => true,
    sitemaps: [],
  })
const file =
  (name: string, wrap: (text: string) => string | Buffer = (text) => text) =>
  (text: string) =>
    readFile(Buffer.from(wrap(text)), name)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\0', '')
const mailHead = 'From: a@b.example\r\nDate: Mon, 1 Jun 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n'
const passage = (content: string) => ({ chunk_index: 0, content, document_title: 'a', score: 0.5 })
const termsIn = (text: string) => new Set(wordsOf(text.slice(0, 200)).flatMap(({ text }) => termsOf(text)))
const shown = (text: string) => passageText(text, ({ start, end }) => text.slice(start, end) as never).toString()
const at = new Date('2026-11-24T12:00:00Z')
const said = { title: 'Changes', removed: 'removed', added: 'new' }
const json = (body: string) => readJson(body, new Headers({ 'content-type': 'application/json' }))
const halfOf = (text: string) => text.slice(0, text.length / 2)

export const readers: Record<string, Reader> = {
  'the cleaner of texts': { read: cleanText },
  'the decoder of bytes': { read: (text) => decodeText(Buffer.from(text, 'utf16le')) },
  'a web page': { read: page('text/html') },
  'a web page in a body': { read: (text) => page('text/html')(`<body><main>a${text}`) },
  'a web page in its title': { read: (text) => page('text/html')(`<title>${text}</title><p>a`) },
  'a web page in a link': { read: (text) => page('text/html')(`<main><a href="${text}">a</a>`) },
  'a web page in a class': { read: (text) => page('text/html')(`<main><div class="${text}">a</div>`) },
  'a page of plain text': { read: page('text/plain') },
  'a robots.txt': {
    limit: 500 * 1024,
    read: async (body) => {
      const { allows } = await robotsOf(clientOf({ '/robots.txt': `User-agent: *\n${body}` }), url)
      for (let i = 0; i < 100; i++) allows(`${url}/${'a'.repeat(200)}/${i}`)
    },
  },
  'a sitemap': { read: (text) => sitemap(`<urlset>${text}`) },
  'a sitemap in an address': { read: (text) => sitemap(`<urlset><url><loc>${text}</loc></url></urlset>`) },
  'a sitemap of plain text': { read: sitemap },
  'two looks at a page': {
    read: (text) => isSameText({ text, at }, { text: `${text}!`, at }, `${text}?`, `.${text}`),
  },
  'two halves of a page': {
    read: (text) =>
      isSameText(
        { text: halfOf(text), at },
        { text: text.slice(text.length / 2), at },
        text.slice(text.length / 3, -text.length / 6),
      ),
  },
  'an address': { limit: 8_000, read: (text) => canonical(`${url}/${text}?${text}`) },
  'a pattern of paths': {
    limit: 1_000,
    read: (text) =>
      inScope(
        { kind: 'site', url, include: [`/${text}*${text}`], exclude: [] },
        `${url}/${encodeURI(text.toWellFormed())}`,
      ),
  },
  'a file of text': { read: file('a.txt') },
  'a file of Markdown': { read: file('a.md') },
  'a file of CSV': { most: 40, read: file('a.csv', (text) => `name,price\na,1\nb,2\n${text}`) },
  'a file of HTML': { read: file('a.html', (text) => `<html><body>a${text}`) },
  'a file of HTML in a table': { read: file('a.html', (text) => `<html><body><table><tr><td>a<td>${text}`) },
  'a mail': { most: 40, read: file('a.eml', (text) => `${mailHead}\r\n${text}`) },
  'a mail in its headers': { most: 40, read: file('a.eml', (text) => `${mailHead}Subject: ${text}\r\n\r\na`) },
  'a mail of HTML': { most: 40, read: file('a.eml', (text) => `${mailHead}Content-Type: text/html\r\n\r\n<p>${text}`) },
  'a mail of parts': {
    most: 40,
    read: file(
      'a.eml',
      (text) =>
        `${mailHead}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${text}\r\n--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${text}`,
    ),
  },
  'a DOCX': { read: file('a.docx', (text) => docxOf(paragraph(escaped(text)))) },
  'a DOCX as XML': { read: file('a.docx', (text) => docxOf(`${paragraph('a')}${text}`)) },
  'a DOCX of paragraphs': {
    limit: 250_000,
    read: file('a.docx', (text) => docxOf(escaped(text).split('\n').map(paragraph).join(''))),
  },
  'an XLSX': {
    limit: 32_000,
    read: file('a.xlsx', (text) =>
      xlsxOf(
        `<sheetData><row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>${escaped(text)}</t></is></c></row></sheetData>`,
      ),
    ),
  },
  'a PPTX': { read: file('a.pptx', (text) => pptxOf([['a', escaped(text)]])) },
  'an EPUB': {
    read: file('a.epub', (text) => epubOf([`<html xmlns="http://www.w3.org/1999/xhtml"><body>a${text}</body></html>`])),
  },
  'an RTF': { read: file('a.rtf', (text) => `{\\rtf1 a${text}}`) },
  'a PDF of one line': {
    all: 32_768,
    read: file('a.pdf', (text) => pagePdf(`BT /F 12 Tf 50 700 Td (a${text.replaceAll(/[()\\]/g, '\\$&')}) Tj ET`)),
  },
  'a PDF of lines': {
    all: 32_768,
    read: file('a.pdf', (text) =>
      pagePdf(
        `BT /F 1 Tf 50 790 Td (a) Tj ${text
          .match(/.{1,20}/gsu)!
          .map((line) => `0 -0.1 Td (${line.replaceAll(/[()\\]/g, '\\$&')}) Tj`)
          .join('\n')} ET`,
      ),
    ),
  },
  'a title': { limit: 1_000, read: (text) => saneTitle([text]) },
  'the name of a file': { limit: 500, read: (text) => [likenessName(text), toFileName(text)] },
  'the questions of a CSV file': { read: (text) => questionsByLine(`question,words\na,b\n${text}`, 'a.csv') },
  'the cutter into chunks': { read: (text) => chunk(text) },
  'the terms of a passage': { limit: maxPassage, read: (text) => indexedTerms(text, [text.slice(0, 500)]) },
  'the places of terms': { limit: maxPassage, read: (text) => placesOf(termsIn(text), text) },
  'the words of a question': { limit: maxQuestion, read: keywordQuery },
  'the field of a question': { limit: maxQuestion, read: (text) => v.safeParse(queryField, text) },
  'the group of a question': {
    limit: maxQuestion,
    read: (text) => groupQuestions([{ question: wordingOf(text) }]),
  },
  'the words of a golden question': { limit: maxQuestion, read: normalized },
  'what a passage has of a question': {
    limit: maxPassage,
    read: (text) => coverageOf(text.slice(0, maxQuestion), [[text], [text]]),
  },
  'the cell of a table that answers': {
    limit: maxPassage,
    read: (text) => {
      const passages = [text, text.replaceAll(' ', '|')].map((content) => ({ ...hitExample, content }))
      return findValue(
        [{ query: text, history: [text] }],
        passages,
        vocabularyOf(passages),
        ({ isContent }) => isContent,
      )
    },
  },
  'runs of letters in passages': {
    limit: maxPassage,
    read: (text) => orderedByRuns([text.slice(0, maxQuestion)], [passage(text), passage(`a${text}`)]),
  },
  'the lexical vector of a passage': { limit: maxPassage, read: (text) => lexicalEmbedder().embed([text]) },
  'a passage for a voice': {
    limit: maxPassage,
    read: (text) => fitting([passageOf({ ...hitExample, content: onOneLine(text) })]),
  },
  'the turns of a call': { read: (text) => questionIn([text, text.slice(0, 100), '']) },
  'the arguments of a tool': { read: (text) => [questionOf(text), questionOf({ a: text })] },
  'a body of JSON': { read: json },
  'a text in a body of JSON': { read: (text) => json(JSON.stringify({ a: text.toWellFormed() })) },
  'a message of a platform': {
    read: (text) =>
      [vapiMessage, retellCall, mcpMessage].map((schema) =>
        v.safeParse(schema, {
          message: { type: text },
          name: text,
          args: { a: text },
          call: { call_id: text },
          jsonrpc: '2.0',
          id: 1,
          method: text,
        }),
      ),
  },
  'a filter by metadata': {
    read: (text) => v.safeParse(metadataFilter('a'), { [text]: text, a: [...text.slice(0, 500)] }),
  },
  'entity tags': { limit: 8_000, read: (text) => v.safeParse(ifMatch, { 'if-match': text }) },
  'the words of a provider': {
    limit: 64 * 1024,
    read: (text) => safeWords(text, { apiKey: 'a'.repeat(20), baseUrl: url }),
  },
  'lines of two versions': { read: likenessLines },
  'a comparison of two versions': { read: (text) => diffView(text, `a ${text} b`, said) },
  'a comparison of two texts': { read: (text) => diffView(halfOf(text), text.slice(text.length / 2), said) },
  'a correction of a text': {
    read: (text) => correctionsAfter(text, [], `${halfOf(text)}\na\n${text.slice(text.length / 2)}`),
  },
  'a correction of a passage': {
    read: (text) => corrected(text, [{ before: `${halfOf(text)} b`, after: `a ${halfOf(text)} c` }]),
  },
  'a correction that is lost': { read: (text) => lostCorrections(text, [{ before: 'a', after: `${halfOf(text)} c` }]) },
  'a text on a screen': { read: shown },
  'a marked text on a screen': {
    limit: maxPassage,
    read: (text) => markedText({ text, places: placesOf(termsIn(text), text) }).toString(),
  },
}

/** True if the reader rejects the text as unreadable. */
export const isRefusal = (error: unknown) =>
  error instanceof Unreadable || error instanceof CommandError || error instanceof ApiError
