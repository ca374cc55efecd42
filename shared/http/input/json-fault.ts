/**
 * Says what JSON.parse found and where, in a sentence that repeats one character of the text at most.
 * @param message of the SyntaxError; V8 tells the position of most faults, and quotes the text in the others
 */
export function explainJsonFault(text: string, message: string): string {
  if (text.trim() === '') return 'The body is empty.'
  const [unexpected] = /^Unexpected (token '.'|end of JSON)/su.exec(message) ?? []
  if (unexpected !== undefined) return `The body is not valid JSON: ${unexpected}.`
  const [, found, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? []
  const place = position === undefined ? '' : `: ${found} at ${placeIn(text, Number(position))}`
  return `The body is not valid JSON${place}.`
}

export function placeIn(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const line = text.slice(0, lineStart).split('\n').length
  return `line ${line}, column ${at - lineStart + 1}`
}
