import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../../infra/command-line/command-error.ts'
import { normalized, type SearchAnswer } from '../ask.ts'
import { readDocuments } from '../labelled-set.ts'
import type { Half, ShopFigures } from '../shops/shops.ts'
import type { openStand } from '../stand.ts'

interface Places {
  /** The ways in which callers ask where a business is, by language. */
  questions: Record<string, string[]>
  /** The language and the addresses of each business, by its folder: a chain has several, of which any is right. */
  businesses: Record<string, [language: string, addresses: string[]]>
}

interface Asked {
  place: string
  addresses: string[]
  answer: SearchAnswer
}

/** Asks each business of a half where it is. */
export async function askPlaces(stand: Awaited<ReturnType<typeof openStand>>, half: Half): Promise<Asked[]> {
  const halves: Record<Half, Places> = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8'))
  const { questions, businesses } = halves[half]
  const asked: Asked[] = []
  for (const [name, [language, addresses]] of Object.entries(businesses)) {
    const documents = readDocuments(join(import.meta.dirname, '..', name))
    for (const address of addresses)
      if (!documents.some(({ content }) => content.includes(address)))
        throw new CommandError(`${name}: no document has the address “${address}”`)
    const search = await stand.ingest({ name, documents, questions: [] })
    for (const query of questions[language]!) {
      const answer = await search({ query, mode: 'hybrid', limit: 5, deadline_ms: 10_000 })
      asked.push({ place: `${name}: ${query}`, addresses, answer })
    }
  }
  return asked
}

function isRight({ answer, addresses }: Asked): boolean {
  const first = normalized(answer.data[0]?.content ?? '')
  return !answer.value && addresses.some((address) => first.includes(normalized(address)))
}

const isFound = ({ answer }: Asked) => answer.status === 'found'

export function placesFigures(asked: readonly Asked[]): ShopFigures {
  const share = (isMet: (each: Asked) => boolean) => Number((asked.filter(isMet).length / asked.length).toFixed(4))
  return {
    'address in the first passage': share(isRight),
    'address found': share((each) => isRight(each) && isFound(each)),
    'nothing else found': share((each) => isRight(each) || !isFound(each)),
  }
}

export function placesText(half: Half, asked: readonly Asked[]): string {
  const figures = Object.entries(placesFigures(asked)).map(([name, share]) => `  ${name}: ${share.toFixed(2)}`)
  return [`Where businesses to ${half} are, ${asked.length} questions`, ...figures].join('\n')
}

/** Each question whose address isn’t first, or isn’t found, with what was found. */
export function placesFailures(asked: readonly Asked[]): string {
  return asked
    .filter((each) => !isRight(each) || !isFound(each))
    .map(
      ({ place, answer }) => `  ${place} → ${answer.status}, ${answer.value?.text ?? answer.data[0]?.document_title}`,
    )
    .join('\n')
}
