/** A text of the request as a response repeats it: the response must not grow with it. */
export function echoed(text: string, maxCharacters = 200): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`
}
