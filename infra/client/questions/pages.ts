import type { Page } from '../../../shared/http/pagination.ts'
import type { Api } from '../api.ts'

/** Reads a whole list, page by page. @param path may have a query */
export async function pagesOf<T>(api: Api, path: string): Promise<T[]> {
  const all: T[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
    const page = (await api('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)) as Page<T>
    all.push(...page.data)
    cursor = page.next_cursor
  }
  return all
}
