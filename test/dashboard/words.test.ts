// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source text.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { words } from '../../functions/dashboard/words.ts'

const folder = join(import.meta.dirname, '../../functions/dashboard')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && file !== 'words.ts',
)

describe.each(files)('the templates of %s', (file) => {
  test('have no words of their own', () => {
    expect(templates(readFileSync(join(folder, file), 'utf8')).flatMap(wordsIn)).toEqual([])
  })
})

test('a template with words of its own is found', () => {
  const source = 'html`<p title="Says">${a ? html`<b>Hello</b>` : b} &amp; <code>x</code></p>`'
  expect(templates(source).flatMap(wordsIn).toSorted()).toEqual(['Hello', 'Says'])
})

test('every sentence ends, and no word is left empty', () => {
  const all = sentences(words)
  expect(all.length).toBeGreaterThan(100)
  for (const text of all) {
    expect(text.trim(), text).toBe(text)
    expect(text, text).not.toMatch(/^$|undefined|\[object|\.\.\.|[“][^”]*$/)
    if (/[.!?] [A-Z]/.test(text)) expect(text).toMatch(/[.!?:]$|[.!?]”$/)
  }
})

/** The source of each tagged template, with a NUL in place of what it takes in; those that are within one are templates of their own. */
function templates(source: string): string[] {
  const found: string[] = []
  const open: { text: string; depth: number; isHtml: boolean }[] = []
  for (let i = 0; i < source.length; i++) {
    const top = open.at(-1)
    const isInText = top !== undefined && top.depth === 0
    if (isInText && source[i] === '`') {
      open.pop()
      if (top.isHtml) found.push(top.text)
    } else if (isInText && source.startsWith('${', i)) {
      top.text += '\0'
      top.depth = 1
      i++
    } else if (isInText) top.text += source[i]
    else if (source[i] === '`') open.push({ text: '', depth: 0, isHtml: source.slice(i - 4, i) === 'html' })
    else if (top && source[i] === '{') top.depth++
    else if (top && source[i] === '}') top.depth--
  }
  return found
}

/** What a person would read of a template's own: text, and attributes that are read out. Code is not, nor the name of a time zone. */
function wordsIn(template: string): string[] {
  const isOfAttributes = /^(\s+[\w-]+|\s*[\w-]+(?=.*="))(\s+[\w-]+|="[^"]*"|\0)*\s*$/s.test(template)
  if (isOfAttributes) return []
  const attributes = [...template.matchAll(/\s(?:aria-label|title|alt|placeholder|label)="([^"\0]*)"/g)].map(
    ([, text]) => text!,
  )
  const text = template
    .replaceAll(/<code.*?<\/code>/gs, '')
    .replaceAll(/<[!/]?[a-z](?:"[^"]*"|[^>"])*>/gi, ' ')
    .replaceAll(/&\w+;|\bUTC\b|\\n/g, '')
  return [...attributes, ...text.split(/[\s\0]+/)].filter((word) => /\p{L}/u.test(word))
}

function sentences(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (typeof part === 'function') return [String(part('X', 'Y', 'Z'))]
  return Object.values(part as object).flatMap(sentences)
}
