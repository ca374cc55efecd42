export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** For a local database, which checks no password: the same one, under another role. */
export function urlOfRole(ownerUrl: string, role: string): string {
  const url = new URL(ownerUrl)
  url.username = role
  return url.href
}
