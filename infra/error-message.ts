/** The error's message on one line, or its code: Node leaves the message empty after trying several addresses. */
export function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return (message || code || String(error)).replaceAll(/(?:(?<!\s)\s+)?\n\s*/g, ' ')
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
