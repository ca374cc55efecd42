import { type Failure, remedies } from '../../shared/documents/contract/failures.ts'
import type { ChecksFail } from '../../shared/knowledge/commit.ts'
import type { ChunkRejected } from './embed-missing.ts'

export function tooManyChunks(count: number, max: number): Failure {
  return {
    code: 'too_many_chunks',
    message: `The text makes ${count} chunks; a document may have ${max}. Split it into several documents.`,
  }
}

export function blocked({ summary }: ChecksFail): Failure {
  return {
    code: 'golden_questions_fail',
    message: `${summary} ${remedies.golden_questions_fail}`,
  }
}

export function chunkRejected({ missing, message }: ChunkRejected): Failure {
  const { chunk_index, content, metadata } = missing.chunks[0]!
  return {
    code: 'chunk_refused',
    message: `Chunk ${chunk_index} was rejected by the embedding provider: ${message}; edit the text around '${quote(content.slice(metadata.start - metadata.end))}' and save.`,
  }
}

const maxCharacters = 60
const maxUnits = 1000

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
