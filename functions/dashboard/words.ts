import { sources } from './sources/words.ts'

/** Texts that several screens share. A text of one screen stands in that screen. */
export const words = {
  lang: 'en',
  product: 'Cuecard',
  cancel: 'Cancel',

  navigation: { agents: 'Agents', calls: 'Deleted calls', settings: 'Settings' },
  agent: {
    documents: 'Documents',
    sources: 'Websites',
    ask: 'Ask',
    questions: 'Questions',
    'golden-questions': 'Checks',
  },

  permissions: {
    'kb:read': 'Read documents and ask questions',
    'kb:write': 'Add, change and delete documents',
    'organization:read': 'See calls and settings',
    'organization:write': 'Change settings, keys and calls',
  },

  roles: {
    owner: { title: 'Owner', name: 'an owner', may: 'You can change everything, and decide who else can.' },
    editor: { title: 'Editor', name: 'an editor', may: 'You can add, change and delete what your agents know.' },
    viewer: { title: 'Viewer', name: 'a viewer', may: 'You can see what your agents know and what callers ask.' },
  },

  notFoundLead: 'The link may be out of date, or the page may have been deleted.',

  documents: {
    busy: 'Too many documents are being processed. Wait until some of them are ready, then try again.',
    uploadAgain: { missing: 'Try again', faulty: 'Replace the file' },
    text: { saved: (title: string) => `“${title}” was saved.` },
    dates: { from: 'First day', until: 'Last day', notInOrder: 'The last day is before the first.' },
  },
  sources,
} as const
