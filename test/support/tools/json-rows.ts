/** JSON with a line for each value at the fourth level, and for each list or object that holds no other. */
export function toJsonRows(value: unknown): string {
  const deeper = /\n(?: {5,}| {4}(?=[}\]]))/g
  const text = JSON.stringify(value, null, 1).replace(deeper, ' ')
  return `${text.replace(/[{[][^{}[\]]*[}\]]/g, (row) => row.replace(/\n */g, ' '))}\n`
}
