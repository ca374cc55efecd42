export function number(value: number): string {
  return value.toLocaleString('en')
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** “1 passage”, “2,000 passages” */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A website's name: its address without scheme, `www.` and final slash. */
export function siteName(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}
