import { isObject } from '../../shared/http/input/fields.ts'
import { fitting, passagesOf } from './answer-text.ts'
import { type Asked, byTool, type Consultation } from './consultation.ts'
import { historyIn, questionOf, turnsOfCaller } from './question.ts'

const separator = '\n\n'

/** Answers a call (with `args_at_root` only its arguments) with text, even one without a question, since Retell repeats failed calls. */
export async function answerRetell(
  call: Record<string, unknown>,
  consult: (asked: Asked) => Promise<Consultation>,
): Promise<string> {
  const question = questionOf(isObject(call.args) ? call.args : call)
  if (question === undefined)
    return 'The argument `query` is missing. Call the function again and pass what the caller wants to know.'
  const { transcript_object: turns } = isObject(call.call) ? call.call : {}
  const history = historyIn(Array.isArray(turns) ? turnsOfCaller(turns) : [])
  const found = await consult({ ...byTool, ...question, history })
  const passages = passagesOf(found)
  return passages.length > 0 ? fitting(passages, separator).join(separator) : await found.nothing()
}
