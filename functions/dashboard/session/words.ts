export const signIn = {
  title: 'Sign in',
  lead: 'See what your voice agents know, and what callers ask them.',
  key: 'Access key',
  hint: 'It starts with cue_. Whoever set up Cuecard for you gave it to you, or can create a new one.',
  submit: 'Sign in',
  missing: 'Enter your access key.',
  malformed: 'This key is incomplete. Copy it again, from cue_ to its last character.',
  refused: 'This key doesn’t work. It may have expired or been revoked. Ask for a new one.',
  throttled: (minutes: number) =>
    `Too many failed attempts from your network. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  ended: 'Your session has ended. Sign in to continue.',
  signedOut: 'You’re signed out.',
  sample: {
    asked: '“Hi, are you open on Sunday?”',
    title: 'Opening hours',
    cue: 'We’re closed on Sundays. Monday to Saturday, we’re open from 9 to 6.',
    promise: 'Your documents, found while the caller is still on the line.',
  },
} as const
