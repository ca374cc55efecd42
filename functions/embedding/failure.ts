import type { ChunkRejected } from './embed-missing.ts'

/** Why a document ended in error: a code for operators, and for the caller what failed and what to do. */
export interface Failure {
  code: 'chunk_refused' | 'too_many_chunks' | 'attempts_exhausted'
  message: string
}

export function tooManyChunks(count: number, most: number): Failure {
  return {
    code: 'too_many_chunks',
    message: `The text makes ${count} chunks; a document may have ${most}. Split it into several documents.`,
  }
}

export function chunkRejected({ missing, message }: ChunkRejected): Failure {
  const { chunk_index, content } = missing.chunk
  return {
    code: 'chunk_refused',
    message: `Chunk ${chunk_index} was refused by the embedding provider: ${message}; edit the text around '${quote(content)}' and save.`,
  }
}

export const attemptsExhausted: Failure = {
  code: 'attempts_exhausted',
  message:
    'Processing failed five times by a fault on our side. Set the status to pending to try again; if it fails again, split the document.',
}

const maxCharacters = 60
const maxUnits = 1000

/** The beginning of the text on one line, cut between what a reader sees as characters. */
function quote(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  let end = 0
  let count = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (count === maxCharacters || end + segment.length > maxUnits) return `${line.slice(0, end)}…`
    end += segment.length
    count++
  }
  return line
}
