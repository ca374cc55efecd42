/** JSON with a line for each value at that depth, and for each list or object that holds no other. */
export function toJsonRows(value: unknown, depth: number): string {
  const deeper = new RegExp(`\\n(?: {${depth + 1},}| {${depth}}(?=[}\\]]))`, 'g')
  const text = JSON.stringify(value, null, 1).replace(deeper, ' ')
  return `${text.replace(/[{[][^{}[\]]*[}\]]/g, (row) => row.replace(/\n */g, ' '))}\n`
}
