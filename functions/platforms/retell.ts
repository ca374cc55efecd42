import { isObject } from '../../shared/http/input/any-object.ts'
import { fitting, passageOf } from './answer-text.ts'
import { type Asked, byTool, type Consultation } from './consultation.ts'
import { questionOf } from './question.ts'

const separator = '\n\n'

/**
 * To a custom function's call, as the text that the model reads. A call without a question is answered too: Retell repeats failed
 * calls, while the caller waits, and the model can put it right.
 * @param call name, call and args; or the arguments alone, as with `args_at_root`
 */
export async function answerRetell(
  call: Record<string, unknown>,
  consult: (asked: Asked) => Promise<Consultation>,
): Promise<string> {
  const query = questionOf(isObject(call.args) ? call.args : call)
  if (query === undefined)
    return 'The argument `query` is missing. Call the function again and pass what the caller wants to know.'
  const { hits, nothing } = await consult({ ...byTool, query })
  return hits.length > 0 ? fitting(hits.map(passageOf), separator).join(separator) : await nothing()
}
