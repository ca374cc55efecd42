import { number } from '../sentences.ts'

const pages = (count: number) => (count === 1 ? '1 page' : `${number(count)} pages`)

export const sources = {
  title: 'Websites',
  lead: 'Your agent answers from pages of these websites too. They’re looked at again and again, and what changes there reaches callers by itself.',
  add: 'Add website',
  none: 'No websites yet',
  noneHint: 'Add the address of a website. Each of its pages becomes a document, and stays as the page is.',
  noneReadable: 'Someone whose key can add documents has to add the first one.',
  kinds: {
    site: 'A website: this page, and those that links lead to within its address, at most 500',
    page: 'This page alone',
    sitemap: 'A sitemap: the pages that it lists',
  },
  kind: { site: 'Website', page: 'One page', sitemap: 'Sitemap' },
  documents: (count: number) => (count === 1 ? '1 page is a document' : `${number(count)} pages are documents`),
  states: {
    ready: 'Up to date',
    error: 'Couldn’t be read',
    queued: 'Waiting to be read',
    reading: 'Being read',
    deleting: 'Being deleted',
  },
  progress: (looked: number, of: number) =>
    of === 0 ? 'Looking for pages' : `${number(looked)} of ${pages(of)} looked at so far`,
  looked: 'looked at',
  next: 'next look',
  neverLooked: 'Not looked at yet',
  stays: 'Its documents stay as they were, and callers go on getting answers from them.',
  advice:
    'It’s looked at again by itself. Open the address in a browser: if it works there, choose “Look now”; if it’s wrong or has moved, delete this website and add the right address.',
  lastLook: (added: number, changed: number) => {
    const parts = [added > 0 && `${pages(added)} new`, changed > 0 && `${pages(changed)} changed`].filter(Boolean)
    return `In the last look: ${parts.join(', ') || 'nothing changed'}.`
  },
  pages: 'Pages',
  groups: { all: 'All', left_out: 'Left out' },
  filter: 'Filter pages',
  noPages: 'No pages yet.',
  noneLeftOut: 'No page is left out.',
  byHand: {
    edited: 'Edited by hand: it no longer changes with the page.',
    deleted: 'Deleted by hand: callers get no answers from this page.',
  },
  followAgain: 'Follow the website again',
  following: 'The page is followed again, and gets its own text with this look.',
  change: { added: 'New', changed: 'Changed' },
  leftOut: 'Left out:',
  differs: 'Not as the page is:',
  gone: 'It was not found on the website. If that is still so a day later, its document is deleted. First missed',
  more: 'Further pages',
  first: 'First pages',
  lookNow: 'Look now',
  looking: 'The website is being looked at.',
  edit: 'Change',
  editTitle: 'Change what is read',
  editHint: 'The address can’t be changed. For another one, add another website.',
  saved: 'The website was saved.',
  delete: 'Delete',
  deletion: {
    heading: 'Delete this website?',
    lead: (count: number) =>
      `${count === 0 ? 'It has no documents.' : `${count === 1 ? 'Its document is' : `Its ${number(count)} documents are`} deleted, too: callers no longer get answers from ${count === 1 ? 'it' : 'them'}.`} Documents whose text somebody has edited stay. This can’t be undone.`,
    confirm: 'Delete website',
    done: 'The website was deleted.',
    begun: 'The website is being deleted. Its documents are many, so this takes a few minutes.',
  },
  form: {
    url: 'Address',
    urlHint: 'Copy it from your browser, such as https://paws-inn.example.',
    noUrl: 'Enter the address of a public website. It begins with https://.',
    known: 'This website has been added already.',
    longUrl: 'An address can have at most 1,000 characters.',
    kind: 'What is read',
    noKind: 'Choose what is read.',
    more: 'Which pages, and how often',
    include: 'Only these paths',
    includeHint: 'One on each line, such as /rooms or /prices/*. If it’s empty, all pages are read.',
    exclude: 'Not these paths',
    excludeHint: 'One on each line, such as /blog/*.',
    noPath: 'Begin each line with /, such as /blog/*. There can be 50 lines of 500 characters.',
    hours: 'Hours between two looks',
    noHours: 'Enter a number from 1 to 720.',
    submit: 'Add website',
  },
  ofDocument: {
    page: 'This is the page',
    of: 'of the website',
    isOf: (website: string) => `This text is a page’s of ${website}.`,
    detached: (title: string) =>
      `“${title}” was saved. It no longer changes with its website, which lists it as edited by hand.`,
    edited:
      'If you edit its text, it becomes a document of its own, which no longer changes with the page. The website lists it then, and you can follow the page again there.',
  },
} as const
