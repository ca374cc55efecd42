export const permissions = ['kb:read', 'kb:write', 'organization:read', 'organization:write'] as const
export type Permission = (typeof permissions)[number]
