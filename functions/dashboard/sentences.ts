export function number(value: number): string {
  return value.toLocaleString('en')
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
