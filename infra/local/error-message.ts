/** One line that says what went wrong; Node leaves the message empty where several addresses were tried. */
export function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return (message || code || String(error)).replaceAll(/\s*\n\s*/g, ' ')
}
