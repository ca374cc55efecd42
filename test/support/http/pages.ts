import { expect } from 'vitest'
import type { Answer, Tenant } from '../stand/stand.ts'

/** Follows Link through a list. @param between runs after each page @returns the rows of each page */
export async function pagesOf({ call }: Tenant, path: string, between: (page: Answer) => unknown = () => {}) {
  const pages: Answer['body'][][] = []
  for (let next: string | undefined = path; next; ) {
    const page = await call('GET', next)
    expect(page.status).toBe(200)
    const { data, has_more, next_cursor } = page.body
    pages.push(data)
    next = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1]
    const cursor = next ? new URL(next, 'http://localhost').searchParams.get('cursor') : null
    expect([has_more, next_cursor]).toEqual([next !== undefined, cursor])
    await between(page)
  }
  return pages
}
