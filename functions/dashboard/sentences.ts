export function number(value: number): string {
  return value.toLocaleString('en')
}

/** Ends the text with a full stop, if it has no end. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
