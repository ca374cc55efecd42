import type { Tool } from '@modelcontextprotocol/server'

/** The tools' texts that clients read. Some platforms refuse a tool whose name, description or schema has changed since its approval. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const passageFields = {
  id: { type: 'string', description: 'For `fetch`.' },
  title: { type: 'string', description: 'Title of the document.' },
  text: { type: 'string' },
  url: { type: 'string', description: 'Of the document, for citations.' },
}

const source = {
  type: 'object',
  description:
    'Where it is from, if the person wants to know: the page, sheet or slide, and the address of a web page.',
  properties: {
    title: { type: 'string' },
    url: { type: ['string', 'null'] },
    page: { anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] },
    heading: { type: ['string', 'null'] },
  },
  required: ['title', 'url', 'page', 'heading'],
}

export const searchTool = {
  name: 'search',
  title: 'Search the knowledge base',
  description:
    'Searches the documents of this business for the passages that answer a question: about products, services, prices, opening hours, policies and the like. Call it whenever an answer depends on facts about the business. The passages come best first, each with its full text, so one call is usually enough. With each call, send what the speaker asked before as `history`: a question such as “and on Sundays?” is not understood without it.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'The question, in the words in which it was asked.' },
      alternatives: {
        type: 'array',
        items: { type: 'string' },
        description: 'What else the speaker may have said, if speech recognition offers other readings. At most 9.',
      },
      history: {
        type: 'array',
        items: { type: 'string' },
        description: 'What the speaker asked before in this conversation, oldest first. At most 10.',
      },
      seen: {
        type: 'array',
        items: { type: 'string' },
        description: 'The `id`s of earlier results, so that others come before them. At most 100.',
      },
      format: {
        type: 'string',
        enum: ['markdown', 'speech'],
        description: '`speech` gives texts as you would say them aloud: short, and without Markdown.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      status: {
        type: 'string',
        enum: ['found', 'uncertain', 'nothing'],
        description: '`uncertain`: the results may not answer. `nothing`: there are none.',
      },
      retryable: {
        type: 'boolean',
        description: 'False if the same question would find the same again: do not ask it.',
      },
      message: { type: 'string', description: 'What to do, unless the status is `found`.' },
      value: {
        type: 'string',
        description: 'The answer, if a table has it, after the names of its column and row: begin with it.',
      },
      confidence: {
        type: 'number',
        description: 'Of the `value`: the share that is right among values with this kind of proof, 0.5 to 1.',
      },
      today: {
        type: 'string',
        description:
          'The date at the business, if the question names a day, so that you can tell “on December 24” from today.',
      },
      results: {
        type: 'array',
        description: 'Best first. May hold passages that do not answer: use only what does.',
        items: {
          type: 'object',
          properties: { ...passageFields, source },
          required: ['id', 'title', 'url', 'text', 'source'],
        },
      },
    },
    required: ['status', 'results'],
  },
  annotations: { title: 'Search the knowledge base', ...annotations },
} as const satisfies Tool

export const fetchTool = {
  name: 'fetch',
  title: 'Read a document',
  description:
    'Reads more around a passage that `search` has found: the whole document if it is short, else what comes before and after the passage. Call it only if the text that `search` returned is not enough.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'An `id` from a result of `search`.' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      ...passageFields,
      metadata: {
        type: 'object',
        properties: {
          document_id: { type: 'string' },
          is_whole_document: { type: 'boolean' },
          previous_id: { type: ['string', 'null'], description: 'To read on before the text; null at the beginning.' },
          next_id: { type: ['string', 'null'], description: 'To read on after the text; null at the end.' },
        },
        required: ['document_id', 'is_whole_document', 'previous_id', 'next_id'],
      },
    },
    required: ['id', 'title', 'text', 'url', 'metadata'],
  },
  annotations: { title: 'Read a document', ...annotations },
} as const satisfies Tool

export const tools: Tool[] = [searchTool, fetchTool]

export const instructions =
  'The knowledge base of one business. Call `search` before you answer a question about its products, prices, opening hours, policies or other facts, and answer only from the passages that it returns. If they do not have the answer, say that you do not know. The list of tools is empty while no document is ready.'
