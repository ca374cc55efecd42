export const permissions = ['kb:read', 'kb:write', 'organization:read', 'organization:write'] as const
export type Permission = (typeof permissions)[number]

/** A person's permissions in an organization, by role; an owner also decides who its people are. */
export const roles = {
  owner: permissions,
  editor: ['kb:read', 'kb:write', 'organization:read'],
  viewer: ['kb:read', 'organization:read'],
} as const satisfies Record<string, readonly Permission[]>
export type Role = keyof typeof roles
