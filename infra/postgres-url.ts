export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** The login of a role on a local database. */
export const loginOfRole = (role: string) => `${role}_local`

/** For a local database, whose logins share the owner's password: the same one, as the login of a role. */
export function urlOfRole(ownerUrl: string, role: string): string {
  const url = new URL(ownerUrl)
  url.username = loginOfRole(role)
  return url.href
}
