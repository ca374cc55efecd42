import { random } from './vectors.ts'

const stems = (
  'time year people way day thing world life hand part child eye place work week case point company number group problem ' +
  'fact room garden table window price order guest hotel kitchen breakfast dinner evening morning summer winter station ' +
  'street bridge ticket train driver bicycle repair battery deposit invoice payment contract insurance delivery parcel ' +
  'return refund colour size material wood leather cotton water coffee bread cheese salad soup dessert recipe menu ' +
  'reservation appointment doctor dentist patient treatment medicine clinic teacher lesson student course language music ' +
  'concert theatre museum picture camera computer printer keyboard screen network password account customer service ' +
  'manager office meeting report project budget market product quality guarantee spare engine wheel brake mirror key lock ' +
  'door roof wall floor lamp heating radiator boiler pipe plumber painter carpenter electrician architect builder ' +
  'neighbour family friend holiday beach mountain forest river lake island harbour boat ferry flight airport luggage ' +
  'passport border country capital village farm horse cattle sheep chicken apple pear cherry plum grape wine beer glass ' +
  'bottle plate spoon knife fork towel blanket pillow mattress open close clean paint build carry deliver collect repair ' +
  'replace measure compare choose prefer recommend expect consider explain describe answer call charge cancel confirm ' +
  'change extend follow include improve increase reduce require reserve remain reach offer early late cheap heavy light ' +
  'narrow broad quiet loud fresh warm cold dry wet empty full safe simple modern careful useful local public private ' +
  'regular separate available important possible different'
).split(' ')
const endings = ['', 's', '', 'er', 'ing', '', 'ed', 'ly']
const connectives =
  'and the of to in for with from which while after before on at by about into over under between because when'.split(
    ' ',
  )

/** Dictionary words first, then ever rarer forms of them. */
const vocabulary = endings.flatMap((ending) => stems.map((stem) => stem + ending))

/**
 * Chunk `n` of the texts of `seed`: a section of about 700 characters, which the chunker keeps whole and apart from its
 * neighbours. Its heading says which it is: see topicOf.
 */
export function section(seed: number, n: number): string {
  const next = random(seed, 21, n)
  const own = Array.from({ length: 6 }, () => word(next))
  let body = ''
  while (body.length < 640) body += `${body ? ' ' : ''}${sentence(next, own)}`
  return `## Topic ${n}\n\n${body}`
}

/** The section with which a text begins. */
export function topicOf(text: string): number {
  return Number(/Topic (\d+)/.exec(text)?.[1])
}

/** A question that only that section answers. */
export function question(seed: number, n: number): string {
  const words = section(seed, n).split(/\W+/).slice(3)
  const next = random(seed, 22, n)
  const at = next() % (words.length - 12)
  return `what about ${words.slice(at, at + 8).join(' ')}?`
}

/** Varied prose and Markdown, no paragraph twice. */
export function corpus(characters: number): string {
  const parts: string[] = []
  for (let n = 0, length = 0; length < characters; n++) {
    const part = block(n)
    parts.push(part)
    length += part.length + 2
  }
  return parts.join('\n\n').slice(0, characters)
}

function block(n: number): string {
  const next = random(33, n)
  const own = Array.from({ length: 5 }, () => word(next))
  const sentences = (count: number) => Array.from({ length: count }, () => sentence(next, own)).join(' ')
  const list = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('\n')
  switch (n % 12) {
    case 0:
      return `${'#'.repeat(1 + (next() % 3))} ${capitalized(word(next))} ${word(next)}`
    case 4:
      return list(3 + (next() % 6), () => `- ${sentence(next, own)}`)
    case 7:
      return `| ${word(next)} | price | ${word(next)} |\n|---|---|---|\n${list(4 + (next() % 8), () => `| ${word(next)} | ${next() % 900}.${next() % 90} | ${word(next)} ${word(next)} |`)}`
    case 9:
      return `\`\`\`js\n${list(4 + (next() % 6), (i) => `const ${word(next)}${i} = ${word(next)}(${next() % 1000}, '${word(next)}')`)}\n\`\`\``
    default:
      return sentences(2 + (next() % 9))
  }
}

function sentence(next: () => number, own: string[]): string {
  const length = 6 + (next() % 14)
  const words = Array.from({ length }, (_, i) => {
    const kind = next() % 10
    if (kind < 4 && i > 0) return connectives[next() % connectives.length]!
    if (kind === 4) return own[next() % own.length]!
    return kind === 5 && i % 5 === 0 ? `${next() % 2000}` : word(next)
  })
  if (length > 12) words[length >> 1] += ','
  return `${capitalized(words.join(' '))}${next() % 9 === 0 ? '?' : '.'}`
}

/** The square makes the first words of the vocabulary the frequent ones. */
function word(next: () => number): string {
  const uniform = next() / 2 ** 32
  return vocabulary[Math.floor(uniform * uniform * vocabulary.length)]!
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
