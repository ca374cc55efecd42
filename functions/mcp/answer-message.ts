import { ApiError } from '../../shared/http/errors.ts'
import { callIdIn } from '../../shared/retrieval/schemas.ts'
import { callIdKey, type Message } from './schemas.ts'
import { respond } from './server.ts'
import { tools } from './tool-texts.ts'
import { type Call, callTool } from './tools.ts'

/**
 * Answers one message about an agent. A failure of a tool is part of the answer.
 * @param request its body is not read @param onUnexpected gets what is neither an ApiError nor the model's fault
 * @throws ApiError if the agent or the key is refused
 */
export async function answerMessage(
  request: Request,
  message: Message,
  call: Omit<Call, 'callId'>,
  onUnexpected: (error: unknown) => void,
): Promise<Response> {
  const callId = callIdIn(message.params, '_meta', callIdKey) ?? callIdIn(request.headers.get('x-call-id') ?? undefined)
  // A call tells itself whether anything is served.
  const isServing = message.method === 'tools/call' || (await call.served.isServing())
  let refusal: unknown
  const answered = await respond(request, message, {
    tools: isServing ? tools : [],
    call: (name, input) =>
      callTool(name, input, { ...call, callId }, onUnexpected).catch((error) => {
        refusal = error
        throw error
      }),
  })
  if (refusal instanceof ApiError) throw refusal
  return answered
}
