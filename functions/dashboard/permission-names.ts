export const permissionNames = {
  'kb:read': 'Read documents and ask questions',
  'kb:write': 'Add, change and delete documents',
  'organization:read': 'See settings',
  'organization:write': 'Change settings and keys',
}

export const roles = {
  owner: { title: 'Owner', name: 'an owner' },
  editor: { title: 'Editor', name: 'an editor' },
  viewer: { title: 'Viewer', name: 'a viewer' },
}

export const ofRoles =
  'An owner can do everything and decides who else has access. An editor can change documents. A viewer can only read, and sees callers’ questions only if an owner allows it.'
