/** A website's name: its address without scheme, `www.` and final slash. */
export function siteName(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}
