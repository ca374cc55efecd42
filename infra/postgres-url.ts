export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** The login of a role on a local database. */
export const loginOfRole = (role: string) => `${role}_local`

/** The URL of a role's login on a local database, where all logins share the owner's password. */
export function urlOfRole(ownerUrl: string, role: string): string {
  const url = new URL(ownerUrl)
  url.username = loginOfRole(role)
  return url.href
}
