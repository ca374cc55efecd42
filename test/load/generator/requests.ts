import { question, section } from '../../bench/data/texts.ts'
import type { Request } from './send.ts'
import { type Caller, type Mix, type Operation, operations } from './stream.ts'

export const sectionsPerBulkDocument = 10

/** @param random a whole number below 2³², by which texts and documents are chosen */
export function requestFor(operation: Operation, caller: Caller, random: number): Request {
  const { apiKey, knowledgeBase, documentIds } = caller
  const get = (path: string): Request => ({ method: 'GET', path, headers: { 'x-api-key': apiKey } })
  const post = (path: string, content: object): Request => {
    const body = JSON.stringify(content)
    const headers = {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(body)}`,
    }
    return { method: 'POST', path, headers, body }
  }
  switch (operation) {
    case 'search':
      return post(`${knowledgeBase}/search`, { query: question(1, random), limit: 5 })
    case 'poll':
      return get(`${knowledgeBase}/${documentIds[random % documentIds.length]}?exclude=content`)
    case 'list':
      return get(`${knowledgeBase}?exclude=content`)
    case 'create':
      return post(knowledgeBase, documentOf(random, 1))
    case 'bulk':
      return post(knowledgeBase, documentOf(random, sectionsPerBulkDocument))
  }
}

export function documentOf(first: number, sections: number): { title: string; content: string } {
  const content = Array.from({ length: sections }, (_, i) => section(1, first + i)).join('\n\n')
  return { title: `Load ${first}`, content }
}

/** @param uniform from 0 to below 1 */
export function choose(mix: Mix, uniform: number): Operation {
  const all = operations.reduce((sum, operation) => sum + (mix[operation] ?? 0), 0)
  let left = uniform * all
  const chosen = operations.find((operation) => {
    left -= mix[operation] ?? 0
    return left < 0
  })
  if (chosen === undefined) throw new Error('a mix without an operation')
  return chosen
}
