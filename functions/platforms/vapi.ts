import * as v from 'valibot'
import { maxHeard } from '../../shared/retrieval/heard.ts'
import { fitting, onOneLine, passagesOf } from './answer-text.ts'
import { type Asked, byTool, type Consultation } from './consultation.ts'
import { historyIn, questionIn, questionOf, turnsOfCaller } from './question.ts'
import {
  type KnowledgeBaseRequest,
  knowledgeBaseRequest,
  type ToolCall,
  type ToolCalls,
  toolCalls,
  type VapiAnswer,
} from './schemas.ts'

export interface Vapi {
  consult(asked: Asked): Promise<Consultation>
  explain(error: unknown): string
}

/** The caller waits before every reply, and a model that reads fewer texts begins to speak sooner. */
const beforeReply = { limit: 3, deadline_ms: 1000 }

const toolNames = ['search_knowledge_base', 'knowledge_base', 'search']

/** Answers a message that Vapi sends to its server. Two kinds need an answer; Vapi ignores one whose status is not 200. */
export async function answerVapi(message: unknown, vapi: Vapi): Promise<VapiAnswer> {
  const kind = v.safeParse(v.looseObject({ type: v.string() }), message)
  if (!kind.success) return { error: 'The body is not a message of Vapi: `message.type` is missing.' }
  switch (kind.output.type) {
    case 'knowledge-base-request':
      return await answered(knowledgeBaseRequest, message, (request) => offerDocuments(request, vapi))
    case 'tool-calls':
      return await answered(toolCalls, message, (request) => answerToolCalls(request, vapi))
    default:
      return {}
  }
}

async function answered<S extends v.GenericSchema>(
  schema: S,
  message: unknown,
  answer: (request: v.InferOutput<S>) => Promise<VapiAnswer>,
): Promise<VapiAnswer> {
  const request = v.safeParse(schema, message)
  if (request.success) return await answer(request.output)
  const [fault] = request.issues
  if (fault.type === 'max_length') return { error: `\`message.${v.getDotPath(fault)}\` ${fault.message}.` }
  return { error: `The message is not as Vapi documents it: see \`${v.getDotPath(fault)}\`.` }
}

async function offerDocuments({ messages, messagesOpenAIFormatted }: KnowledgeBaseRequest, vapi: Vapi) {
  const turns = turnsOfCaller(messages)
  const question = questionIn(turns.length > 0 ? turns : turnsOfCaller(messagesOpenAIFormatted))
  if (question === undefined) return { documents: [] }
  try {
    const found = await vapi.consult({ ...beforeReply, ...question })
    const { hits } = found
    const contents = fitting(passagesOf(found))
    const documents = contents.map((content, i) => {
      const { score, chunk_id } = hits[i]!
      return { content, similarity: score, uuid: chunk_id }
    })
    return { documents }
  } catch (error) {
    return { documents: [], error: vapi.explain(error) }
  }
}

async function answerToolCalls({ toolCallList, artifact }: ToolCalls, vapi: Vapi) {
  const how = {
    ...byTool,
    history: historyIn(turnsOfCaller(artifact.messages)),
    max_heard: Math.floor(maxHeard / toolCallList.length),
  }
  return { results: await Promise.all(toolCallList.map((call) => answerToolCall(call, how, vapi))) }
}

async function answerToolCall(call: ToolCall, how: Omit<Asked, 'query'>, { consult, explain }: Vapi) {
  const { name = '', arguments: args, parameters } = call.function ?? call
  const failed = (error: string) => ({ name, toolCallId: call.id, error })
  if (!toolNames.includes(name)) return failed(`There is no tool of this name. Name it ${toolNames[0]}.`)
  const question = questionOf(args ?? parameters)
  if (question === undefined) return failed('The argument `query` is missing: pass what the caller wants to know.')
  try {
    const found = await consult({ ...how, ...question })
    const passages = passagesOf(found).map(onOneLine)
    const result = passages.length > 0 ? fitting(passages, ' ').join(' ') : await found.nothing()
    return { name, toolCallId: call.id, result }
  } catch (error) {
    return failed(explain(error))
  }
}
