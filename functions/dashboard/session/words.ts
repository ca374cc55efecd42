export const signIn = {
  throttled: (minutes: number) =>
    `Too many failed attempts from your network. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  sample: {
    asked: '“Hi, are you open on Sunday?”',
    title: 'Opening hours',
    cue: 'We’re closed on Sundays. Monday to Saturday, we’re open from 9 to 6.',
    promise: 'Your documents, found while the caller is still on the line.',
  },
} as const
