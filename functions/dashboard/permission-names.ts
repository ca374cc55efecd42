export const permissionNames = {
  'kb:read': 'Read documents and ask questions',
  'kb:write': 'Add, change and delete documents',
  'organization:read': 'See calls and settings',
  'organization:write': 'Change settings, keys and calls',
}

export const roles = {
  owner: { title: 'Owner', name: 'an owner', may: 'You can change everything, and decide who else can.' },
  editor: { title: 'Editor', name: 'an editor', may: 'You can add, change and delete what your agents know.' },
  viewer: { title: 'Viewer', name: 'a viewer', may: 'You can see what your agents know.' },
}

/** What viewers can do where they read callers' questions. */
export const viewerWithQuestions = 'You can see what your agents know and what callers ask.'
