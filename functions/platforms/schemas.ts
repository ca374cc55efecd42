import * as v from 'valibot'
import { anyObject, described, listOf } from '../../shared/http/input/fields.ts'

/** A platform's request. It may have any further fields, since the platform may add some at any time. */
function envelope(title: string, described: Record<string, unknown>) {
  return v.pipe(anyObject, v.metadata({ title, type: 'object', additionalProperties: true, ...described }))
}

export const vapiMessage = envelope('VapiMessage', {
  description: 'Vapi’s message to a server. It may have further fields.',
  required: ['message'],
  properties: {
    message: {
      type: 'object',
      additionalProperties: true,
      required: ['type'],
      properties: {
        type: {
          type: 'string',
          description: '`knowledge-base-request` or `tool-calls`; all others are answered with `{}`.',
        },
        call: {
          type: 'object',
          additionalProperties: true,
          description: 'Its `id` is kept with the question, if questions are kept.',
        },
        messages: {
          type: 'array',
          items: { type: 'object', additionalProperties: true },
          description: 'The conversation, in a `knowledge-base-request`.',
        },
        toolCallList: {
          type: 'array',
          items: { type: 'object', additionalProperties: true },
          description: 'The calls, in `tool-calls`.',
        },
      },
    },
  },
})

const turns = v.optional(v.array(v.looseObject({ role: v.optional(v.unknown()) })), [])

export const knowledgeBaseRequest = v.looseObject({ messages: turns, messagesOpenAIFormatted: turns })
export type KnowledgeBaseRequest = v.InferOutput<typeof knowledgeBaseRequest>

export const textPart = v.looseObject({ type: v.literal('text'), text: v.string() })

const maxToolCalls = 10
const maxLabel = 1000

const label = v.pipe(v.string(), v.maxLength(maxLabel, `must have at most ${maxLabel} characters`))

/** Vapi’s documentation also calls the arguments `parameters`. */
const called = {
  name: v.optional(label),
  arguments: v.optional(v.unknown()),
  parameters: v.optional(v.unknown()),
}
const toolCall = v.looseObject({ id: label, ...called, function: v.optional(v.looseObject(called)) })
export const toolCalls = v.looseObject({
  toolCallList: listOf(toolCall, { items: 'calls', max: maxToolCalls }),
  /** The conversation, if it is in the form of a `knowledge-base-request`. */
  artifact: v.fallback(v.looseObject({ messages: v.array(v.unknown()) }), { messages: [] }),
})
export type ToolCalls = v.InferOutput<typeof toolCalls>
export type ToolCall = v.InferOutput<typeof toolCall>

const optionalText = (description: string) => v.optional(described(v.string(), description))

export const vapiAnswer = v.pipe(
  v.strictObject({
    documents: v.optional(
      described(
        v.array(
          v.strictObject({
            content: v.string(),
            similarity: v.pipe(v.number(), v.minValue(-1), v.maxValue(1)),
            uuid: v.pipe(v.string(), v.uuid(), v.description('The id of the chunk.')),
          }),
        ),
        'The answer to a `knowledge-base-request`: the best passages first.',
      ),
    ),
    results: v.optional(
      described(
        v.array(
          v.strictObject({
            name: v.string(),
            toolCallId: v.string(),
            result: optionalText('The passages, on a single line.'),
            error: optionalText('Why there is no result, on a single line.'),
          }),
        ),
        'The answer to `tool-calls`: one result for each.',
      ),
    ),
    error: optionalText('Why there is no answer.'),
  }),
  v.title('VapiAnswer'),
)
export type VapiAnswer = v.InferOutput<typeof vapiAnswer>

export const retellCall = envelope('RetellCall', {
  description:
    'Retell’s request to a custom function: `name`, `call` and `args`, or only the arguments. It may have further fields.',
  properties: {
    name: { type: 'string', description: 'The name of the function.' },
    call: {
      type: 'object',
      additionalProperties: true,
      description: 'Its `call_id` is kept with the question, if questions are kept.',
    },
    args: {
      type: 'object',
      additionalProperties: true,
      properties: {
        query: { type: 'string', description: 'The caller’s question.' },
        alternatives: {
          type: 'array',
          items: { type: 'string' },
          description: 'Other readings of the caller’s words. Texts that a search would reject are ignored.',
        },
      },
    },
  },
})

export const retellHeaders = v.object({
  'x-retell-signature': v.optional(
    described(
      v.string(),
      '`v=<milliseconds since 1970>,d=<HMAC-SHA256 of body and time, in hexadecimal digits>`. Checked if the agent has a secret for it.',
    ),
  ),
})
