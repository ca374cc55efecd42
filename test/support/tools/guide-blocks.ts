import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Block {
  language: string
  text: string
  /** The heading that it stands under. */
  section: string
}

const folder = join(import.meta.dirname, '../../../functions/reference/guides')

/** The guides for platforms, by file name. */
export const platformGuides = new Map(
  readdirSync(folder)
    .filter((name) => /^2\d-.*\.md$/.test(name))
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
)

/** The fenced blocks of a guide, in order. */
export function blocksOf(markdown: string): Block[] {
  let section = ''
  return [...markdown.matchAll(/^(?:#+ (.+)|```(\w+)\n([\s\S]*?)\n```)$/gm)].flatMap(([, heading, language, text]) => {
    if (heading !== undefined) section = heading
    return heading === undefined ? [{ language: language!, text: text!, section }] : []
  })
}

interface GuideRequest {
  method: string
  path: string
  headers: Record<string, string>
  /** The body as written in the guide. */
  body: string
}

/** A block of the language `http`: method and path, headers, an empty line, the body. */
export function requestOf({ text }: Block): GuideRequest {
  const [head = '', body = ''] = text.split('\n\n', 2)
  const [line = '', ...headers] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  return {
    method,
    path,
    headers: Object.fromEntries(headers.map((header) => header.split(': ') as [string, string])),
    body,
  }
}
