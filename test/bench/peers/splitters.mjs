import { RecursiveChunker } from '@chonkiejs/core'
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters'
import { SentenceSplitter } from '@llamaindex/core/node-parser'
import { countTokens, decode, encode } from 'gpt-tokenizer/encoding/cl100k_base'

const chunkSize = 400
const chunkOverlap = 60
/** Special tokens in a text are text. */
const asText = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
const tokens = (text) => countTokens(text, asText)

/** Each cuts a text into chunks of at most 400 cl100k tokens. chonkie's have no overlap, the others' of 60. @returns their number */
export async function splitters() {
  const tokenizer = {
    countTokens: tokens,
    encode: (text) => encode(text, asText),
    decode,
    decodeBatch: (all) => all.map(decode),
  }
  const chonkie = await RecursiveChunker.create({ chunkSize, tokenizer })
  const langChain = RecursiveCharacterTextSplitter.fromLanguage('markdown', {
    chunkSize,
    chunkOverlap,
    lengthFunction: tokens,
  })
  const llamaIndex = new SentenceSplitter({ chunkSize, chunkOverlap, tokenizer })
  return {
    chonkie: async (text) => (await chonkie.chunk(text)).length,
    LangChain: async (text) => (await langChain.splitText(text)).length,
    LlamaIndex: async (text) => llamaIndex.splitText(text).length,
  }
}
