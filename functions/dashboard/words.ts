import { agents } from './agents/words.ts'
import { ask } from './ask/words.ts'
import { calls } from './calls/words.ts'
import { documents } from './documents/words.ts'
import { golden } from './golden/words.ts'
import { signIn } from './session/words.ts'
import { settings } from './settings/words.ts'
import { sources } from './sources/words.ts'
import { call, ways } from './unanswered/call/words.ts'
import { questionLog, unanswered } from './unanswered/words.ts'

/** Every word that a person reads in the dashboard. Those of one screen are beside it. */
export const words = {
  lang: 'en',
  product: 'Cuecard',
  title: (screen: string) => `${screen} · Cuecard`,
  skip: 'Skip to content',
  signOut: 'Sign out',
  breadcrumbs: 'Breadcrumbs',
  undo: 'Undo',
  cancel: 'Cancel',
  reference: 'API reference',
  save: 'Save',
  copy: 'Copy',
  copied: 'Copied',
  older: 'Older',
  justNow: 'just now',
  offline: 'Cuecard can’t be reached. Check your connection and try again.',
  restored: 'You were signed out before this was saved. What you typed is back: save it again.',

  navigation: { label: 'Main', agents: 'Agents', calls: 'Deleted calls', settings: 'Settings' },
  agent: {
    label: 'Agent',
    documents: 'Documents',
    sources: 'Websites',
    ask: 'Ask',
    unanswered: 'Unanswered',
    'golden-questions': 'Golden questions',
  },

  permissions: {
    'kb:read': 'Read documents and ask questions',
    'kb:write': 'Add, change and delete documents',
    'organization:read': 'See calls and settings',
    'organization:write': 'Change settings, keys and calls',
  },

  errors: {
    notFound: 'This page doesn’t exist',
    notFoundLead: 'The link may be out of date, or the page may have been deleted.',
    gone: 'This is no longer available',
    forbidden: 'Your key doesn’t allow this',
    forbiddenLead: (permission: string) =>
      `This key doesn’t have the “${permission}” permission. Ask whoever gave it to you for one that does.`,
    foreign: 'This request didn’t come from Cuecard',
    foreignLead: 'Nothing was changed. Go back, reload the page and try again.',
    invalid: 'This request is invalid',
    invalidLead: 'Nothing was changed. Go back, reload the page and try again.',
    busy: 'Too many documents are being processed',
    busyLead: 'Nothing was changed. Wait until some of them are ready, then go back and try again.',
    unavailable: 'Cuecard is temporarily unavailable',
    unavailableLead: 'Nothing is lost. Wait a moment, then reload the page.',
    unexpected: 'Something went wrong on our side',
    unexpectedLead: (requestId: string) =>
      `Error ID ${requestId}. Try again; if it keeps happening, send this ID to whoever runs Cuecard.`,
    home: 'Back to agents',
  },

  levels: { found: 'Probably answered', uncertain: 'Probably not answered', nothing: 'Not answered' },

  signIn,
  agents,
  documents,
  sources,
  ask,
  unanswered,
  call,
  ways,
  golden,
  questionLog,
  calls,
  settings,
} as const
