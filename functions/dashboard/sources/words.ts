import { counted, number } from '../sentences.ts'

export const sources = {
  kinds: {
    site: 'A website: this page and the linked pages below its address, at most 500',
    page: 'This page only',
    sitemap: 'A sitemap: the pages that it lists',
  },
  kind: { site: 'Website', page: 'One page', sitemap: 'Sitemap' },
  states: {
    ready: 'Up to date',
    error: 'Couldn’t be read',
    queued: 'Waiting to be read',
    reading: 'Being read',
    deleting: 'Being deleted',
  },
  progress: (looked: number, of: number) =>
    of === 0 ? 'Looking for pages' : `${number(looked)} of ${counted(of, 'page')} looked at so far`,
  lastLook: (added: number, changed: number) => {
    const parts = [
      added > 0 && `${counted(added, 'page')} new`,
      changed > 0 && `${counted(changed, 'page')} changed`,
    ].filter(Boolean)
    return `In the last look: ${parts.join(', ') || 'nothing changed'}.`
  },
  byHand: {
    edited: 'Edited by hand: it no longer changes with the page.',
    deleted: 'Deleted by hand: callers get no answers from this page.',
  },
  change: { added: 'New', changed: 'Changed' },
  looking: 'The website is being looked at.',
  ofDocument: {
    detached: (title: string) =>
      `“${title}” was saved. It no longer changes with its website, which lists it as edited by hand.`,
    edited:
      'If you edit its text, it becomes a document of its own, which no longer changes with the page. The website still lists it, and you can follow the page again there.',
  },
} as const
