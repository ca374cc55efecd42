import { keywordQuery } from '../../shared/retrieval/keyword/keyword-query.ts'
import { wordsOf } from '../../shared/terms/words.ts'
import { normalForm } from '../../shared/text/normal-form.ts'

/** Makes a title of a question's subject: “Dogs” for “do you take dogs?”. Returns a question of everyday words as it is. */
export function subjectOf(question: string): string {
  const text = normalForm(question)
  const words = wordsOf(text)
  const { spans = [], required = [] } = keywordQuery(question) ?? {}
  const parts = spans.flatMap(({ from, to }, i) => {
    const [first, last] = [words[from], words[to - 1]]
    return required[i] && first && last ? text.slice(first.start, last.start + last.text.length) : []
  })
  const subject = parts.join(' ') || question
  return subject.charAt(0).toUpperCase() + subject.slice(1)
}

/** A website's name: its address without scheme, `www.` and final slash. */
export function siteName(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}
