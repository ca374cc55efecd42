/** Says what V8 found and where, without the text that V8 quotes where it tells no position. @param message the SyntaxError's */
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
