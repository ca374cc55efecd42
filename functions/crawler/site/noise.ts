/** A text and when it was fetched. */
export interface Seen {
  text: string
  at: Date
}

/** Whether a page says the same but for what differs at each request, as more fetches at once show, and but for the date of the day. */
export function isSameText(before: Seen, now: Seen, ...again: string[]): boolean {
  return before.text === now.text || again.includes(before.text)
}
