/**
 * Every word that a person reads in the dashboard. A second language is a second such file, of the type `Words`. Each screen has a
 * group of its own; what a sentence takes in is an argument, so that a language may put it where it belongs.
 */
const english = {
  lang: 'en',
  product: 'Cuecard',
  title: (screen: string) => `${screen} · Cuecard`,
  skip: 'Skip to content',
  signOut: 'Sign out',
  breadcrumbs: 'Breadcrumbs',
  undo: 'Undo',
  cancel: 'Cancel',
  save: 'Save',
  copy: 'Copy',
  copied: 'Copied',
  older: 'Older',
  justNow: 'just now',
  offline: 'Cuecard can’t be reached. Check your connection and try again.',
  restored: 'You were signed out before this was saved. What you typed is back: save it again.',

  navigation: { label: 'Main', agents: 'Agents', calls: 'Deleted calls', settings: 'Settings' },
  agent: { label: 'Agent', documents: 'Documents', ask: 'Ask', unanswered: 'Unanswered' },

  permissions: {
    'kb:read': 'Read documents and ask questions',
    'kb:write': 'Add, change and delete documents',
    'organization:read': 'See calls and settings',
    'organization:write': 'Change settings, keys and calls',
  },

  signIn: {
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

  agents: {
    title: 'Agents',
    lead: 'Each voice agent answers callers from its own documents.',
    none: 'No agents yet',
    noneLead:
      'An agent is one voice on the phone, with its own documents. Whoever runs Cuecard for you creates it with this command:',
    isOn: 'Answers callers',
    isOff: {
      none: 'No documents yet',
      pending: 'Processing its first documents',
      failed: 'None of its documents could be read',
    },
    documents: (count: number) => (count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`),
    ready: (count: number) => `${count.toLocaleString('en')} ready`,
    pending: (count: number) => `${count.toLocaleString('en')} processing`,
    failed: (count: number) => `${count.toLocaleString('en')} failed`,
    addFirst: 'Add the first document',
  },

  documents: {
    title: 'Documents',
    lead: 'Your agent answers callers from these documents.',
    upload: {
      button: 'Upload files',
      drop: 'Drop files here, or choose them',
      dropOne: 'Drop the file here, or choose it',
      accepted: 'PDF, Word, Excel, CSV, PowerPoint, HTML, Markdown and text files, at most 50 MB each.',
      needsScript: 'Uploading files needs JavaScript, which is off in your browser. You can still write a text.',
      files: 'Uploads',
      progress: (name: string) => `Uploading ${name}`,
      waiting: 'Waiting',
      starting: 'Starting',
      uploading: 'Uploading',
      uploaded: (name: string) => `${name} is uploaded. Its text is being read.`,
      interrupted: 'The connection was lost during the upload. Try again.',
      refused: 'The file wasn’t accepted. Try again, or reload the page.',
      retry: 'Try again',
      remove: 'Remove',
      notReplaceable: 'This document is being processed. Reload the page to see its state.',
      empty: 'The file is empty. Choose one that contains text.',
      tooLarge: 'The file is larger than 50 MB. Split it, or leave out large pictures.',
      otherType:
        'This type of file isn’t supported. Choose a PDF, Word, Excel, CSV, PowerPoint, HTML, Markdown or text file.',
    },
    list: {
      search: 'Search titles',
      filter: 'Filter by state',
      pages: 'Pages',
      searchButton: 'Search',
      groups: { all: 'All', ready: 'Ready', unfinished: 'Processing', failed: 'Failed' },
      none: 'No documents yet',
      noneHint: 'Upload a file or write a text. A moment later, your agent answers from it.',
      noneReadable: 'Someone whose key can add documents has to add the first one.',
      noneFound: 'No documents match.',
      showAll: 'Show all documents',
      older: 'Older documents',
      newest: 'Newest documents',
    },
    full: 'This agent has 10,000 documents, the maximum. Delete some first.',
    busy: 'Too many documents are being processed. Wait until some of them are ready, then try again.',
    types: {
      manual: 'Text',
      pdf: 'PDF',
      docx: 'Word document',
      xlsx: 'Spreadsheet',
      csv: 'CSV table',
      pptx: 'Presentation',
      html: 'Web page',
      md: 'Markdown',
      txt: 'Text file',
    },
    passages: (count: number) => (count === 1 ? '1 passage' : `${number(count)} passages`),
    changed: 'changed',
    progress: (stored: number, planned: number) => `${number(stored)} of ${number(planned)} passages`,
    states: {
      ready: 'Ready',
      failed: 'Failed',
      waiting: 'Waiting',
      queued: 'Queued',
      processing: 'Processing',
      awaitsFile: 'Waiting for the file',
      fileMissing: 'File missing',
      fileMissingDetail: 'The file hasn’t arrived yet. If its upload was interrupted, try again.',
      readingFile: 'Reading the file',
      awaitsPassages: 'Waiting for passages',
      awaitsPassagesDetail: 'Your own system sends its passages through the API.',
    },
    waiting: (reason: string, tries: number) =>
      `${sentence(reason)} ${tries === 1 ? 'It was tried once' : `It was tried ${tries} times`} and will be retried automatically.`,
    /** Messages are written for callers of the API. */
    failure: (message: string) =>
      message
        .replaceAll(' and delete this document', '')
        .replaceAll('Set the status to pending to try again', `Choose “Try again” to process it again`),
    previousIsServed: 'Callers still get answers from the previous version.',
    becameReady: (title: string) => `“${title}” is ready.`,
    becameFailed: (title: string) => `“${title}” failed.`,
    uploadAgain: { missing: 'Try again', faulty: 'Replace the file' },
    uploadAgainOf: {
      missing: (title: string) => `Upload the file of “${title}” again`,
      faulty: (title: string) => `Replace the file of “${title}”`,
    },
    retry: 'Try again',
    retryOf: (title: string) => `Try again: “${title}”`,
    delete: {
      action: 'Delete',
      actionOf: (title: string) => `Delete “${title}”`,
      heading: (title: string) => `Delete “${title}”?`,
      consequence: (title: string) => `Callers will no longer get answers from “${title}”.`,
      file: 'Its file will be deleted, too.',
      final: 'This can’t be undone.',
      confirm: 'Delete document',
      keep: 'Keep document',
      done: (title: string) => `“${title}” was deleted.`,
      undone: (title: string) => `“${title}” was kept.`,
      unreachable: (title: string) => `“${title}” couldn’t be deleted. Try again.`,
      changed: (title: string) =>
        `“${title}” wasn’t deleted: somebody has changed it in the meantime. Check it before you delete it.`,
    },
    text: {
      write: 'Write text',
      writeHeading: 'Write a text',
      editHeading: (title: string) => `Edit “${title}”`,
      title: 'Title',
      titleHint: 'What it’s about, such as “Opening hours”. Callers’ questions are compared with it, too.',
      content: 'Text',
      contentHint: 'Plain text or Markdown. Headings and short paragraphs work best.',
      saveNew: 'Save text',
      saved: (title: string) => `“${title}” was saved.`,
      noTitle: 'Enter a title.',
      longTitle: 'A title can have at most 500 characters.',
      noContent: 'Enter the text that callers should get answers from.',
      longContent: 'A text written here can have at most 1 MB. Split it, or upload it as a file.',
      tooLongToEdit: 'This text is larger than 1 MB, too large to edit here.',
      fileStays: 'To change what it says, upload a new file and delete this document, or edit its text.',
      editTextOfFile: 'Edit its text',
      replacesFile: (file: string) =>
        `Editing turns this into a text document: what you save replaces the file ${file}, which will be deleted.`,
      saveAndDeleteFile: 'Save text and delete file',
      ofClient: 'Your own system creates this document’s passages, so change its text there.',
      gone: 'Somebody has deleted this document in the meantime. What you’ve written is still here: you can save it as a new document.',
      conflict: 'Somebody else has changed this document while you were editing it.',
      conflictHint:
        'Nothing is lost: your version is in the form, theirs is beside it. If you save, yours replaces theirs.',
      theirs: 'Their version',
      yours: 'Your version',
      saveMine: 'Save mine',
      keepTheirs: 'Keep theirs',
    },
    document: {
      edit: 'Edit',
      download: 'Download file',
      text: 'Text',
      passagesHint:
        'A number marks where each passage begins. Search finds passages, and callers get their answers from them.',
      pages: 'Pages of passages',
      passage: (n: number) => `Passage ${number(n)}`,
      range: (from: number, to: number, of: number) => `Passages ${number(from)} to ${number(to)} of ${number(of)}.`,
      previous: 'Previous passages',
      next: 'Next passages',
      unsearchable: (found: number, of: number) =>
        `Search can find ${number(found)} of ${number(of)} passages: the others were stored without an embedding.`,
      noText: 'There is no text yet.',
    },
  },

  strengths: { good: 'Good match', possible: 'Possible match', weak: 'Weak match' },

  ask: {
    title: 'Ask',
    lead: 'Type what a caller would say and see what your agent finds.',
    label: 'What a caller would say',
    submit: 'Ask',
    more: 'Other ways to search',
    modes: {
      hybrid: 'By words and meaning, like your agent',
      semantic: 'By meaning only',
      keyword: 'By words only',
    },
    examples: 'For example',
    example1: (title: string) => `What can you tell me about ${title}?`,
    example2: (title: string) => `I have a question about ${title}`,
    example3: (title: string) => `Do you have anything on ${title}?`,
    nothingReady: 'There is nothing to find yet',
    nothingReadyLead: 'As soon as a document is ready, you can ask about it.',
    toDocuments: 'Go to documents',
    passages: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    took: (total: string, embed: string, db: string) =>
      `Found in ${total} ms: ${embed} ms for the meaning of the question, ${db} ms in the database.`,
    degraded:
      'The meaning of the question wasn’t available in time, so these were found by words only. The same can happen in a call.',
    sought: 'Searched for',
    unknown: 'in no document',
    nothingSought: 'These words are said in every call, so there is nothing to search for.',
    none: 'Nothing found',
    noneLead: 'Your agent would say that it doesn’t know.',
    weak: 'Your agent may have no answer to this',
    weakLead: 'Even the best passage is a weak match. Is the answer in one of your documents?',
    addDocument: 'Write a document that answers it',
    unavailable: 'Search by meaning isn’t available at the moment. Search by words instead, or try again shortly.',
    exact: 'Exact scores',
    score: 'Score',
    byWords: 'By words',
    byMeaning: 'By meaning (cosine)',
    notCompared: 'not compared',
    has: (word: string) => `has “${word}”`,
    hasPart: (word: string) => `has part of “${word}”`,
    lacks: (word: string) => `doesn’t have “${word}”`,
    meaning: { close: 'Close in meaning', some: 'Somewhat close in meaning', far: 'Different in meaning' },
    whole: 'Whole passage',

    compare: {
      title: 'Did you expect another document?',
      lead: 'Choose it to see where it ranks and what it’s missing.',
      filter: 'Part of its title',
      find: 'Find',
      noTitle: 'No titles match.',
      gone: 'The document you compared is no longer available.',
      place: (place: number, count: number) =>
        `Its best passage ranks ${place.toLocaleString('en')} of ${count.toLocaleString('en')}. Your agent gets the first 5.`,
      placeAtBest: (place: number) =>
        `Its best passage ranks ${place.toLocaleString('en')} or lower. Your agent gets the first 5.`,
      notServed: 'It isn’t ready, so search can’t find it yet. Its own page shows what it’s waiting for.',
      noWord: 'None of its words match.',
      noneOf: (words: string) => `None of its words match ${words}.`,
      lacks: (words: string) => `It doesn’t have ${words}.`,
      hasAll:
        'It has every word that counts. The passages above it have them more often or in fewer words, or are closer in meaning.',
      isFirst: 'This is what your agent finds first.',
    },
  },

  unanswered: {
    title: 'Unanswered',
    lead: 'What callers asked in the last 30 days and your agent found little for. Similar questions are grouped.',
    counts: (unanswered: number, asked: number) =>
      `${number(unanswered)} of ${number(asked)} ${asked === 1 ? 'question' : 'questions'} found little or nothing.`,
    also: 'Also',
    andMore: (count: number) => `${number(count)} more`,
    times: (count: number) => (count === 1 ? 'Asked once' : `Asked ${number(count)} times`),
    lastTime: 'last',
    write: 'Answer',
    writeOf: (question: string) => `Answer: “${question}”`,
    ask: 'Ask again',
    askOf: (question: string) => `Ask again: “${question}”`,
    remove: 'Remove',
    removeOf: (question: string) => `Remove “${question}” from the list`,
    removed: (count: number) =>
      count === 1 ? 'The question was deleted.' : `${number(count)} questions were deleted.`,
    goneBefore: 'These questions are no longer available.',
    more: (count: number) => `${number(count)} more will appear here as you remove some.`,
    nothingYet: 'No questions yet',
    nothingYetLead: 'Questions that your agent finds little for will appear here.',
    allAnswered: 'No unanswered questions',
    allAnsweredLead: (asked: number) =>
      asked === 1
        ? 'Your agent found something for the one question.'
        : `Your agent found something for all ${number(asked)} questions.`,
    clear: 'Delete all questions',
    clearTitle: 'Delete all questions from this agent’s callers?',
    clearLead: (asked: number) =>
      `${asked === 1 ? 'The one question' : `All ${number(asked)} questions`} of the last 30 days will be deleted, including the answered ones. This can’t be undone.`,
    clearSubmit: 'Delete all',
  },

  questionLog: {
    title: 'Save callers’ questions',
    on: 'On',
    off: 'Off',
    what: 'Each question that a caller’s agent looks up is saved for 30 days, with how well it was answered. “Unanswered” then shows what your documents don’t cover.',
    care: 'Only the words are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can change documents can read and delete the questions. At most 200 questions per hour are saved.',
    turnOn: 'Save questions',
    turnOff: 'Stop saving questions',
    turnedOn: 'From now on, questions are saved for 30 days.',
    turnedOff:
      'New questions are no longer saved. Existing questions are kept for 30 days, unless you delete them under “Unanswered”.',
    whoMay: 'Only a key with the “Change settings, keys and calls” permission can turn this on or off.',
  },

  calls: {
    title: 'Deleted calls',
    lead: 'You can restore these calls or delete them permanently.',
    leadAutomatic: 'Completed calls are moved here. You can restore them or delete them permanently.',
    none: 'No deleted calls',
    noMore: 'No more deleted calls',
    noneLead: 'Completed calls are kept. In the settings, you can have them deleted automatically.',
    noneAutomatic: 'When a call is completed, it’s moved here, where you can restore it or delete it permanently.',
    toSettings: 'Go to settings',
    began: 'Call on',
    deleted: 'deleted',
    restore: 'Restore',
    restoreOf: (agent: string) => `Restore the call with ${agent}`,
    restored: 'The call was restored.',
    purge: 'Delete permanently',
    purgeTitle: 'Delete this call permanently?',
    purgeLead: 'It will be deleted immediately, for everyone. This can’t be undone.',
    purgeSubmit: 'Delete permanently',
    purged: 'The call was deleted permanently.',
    notInTrash: 'This call is no longer here: it has already been restored or deleted.',
  },

  settings: {
    title: 'Settings',
    autoDelete: {
      title: 'Delete completed calls',
      on: 'On',
      off: 'Off',
      leadOn: 'Completed calls are moved to the deleted calls.',
      leadOff: 'Completed calls are kept.',
      hint: 'A change applies to calls completed after it. Deleted calls can be restored until you delete them permanently.',
      turnOn: 'Turn on',
      turnOff: 'Turn off',
      changed: {
        on: 'From now on, completed calls are deleted.',
        off: 'From now on, completed calls are kept.',
      },
    },
    keys: {
      title: 'Keys',
      lead: 'People sign in with a key; voice platforms and other programs use one, too. Give each its own.',
      add: 'New key',
      own: 'You’re signed in with this key',
      mayAll: 'All permissions',
      made: 'Created',
      expires: 'expires',
      neverExpires: 'doesn’t expire',
      hasExpired: 'expired',
      wasRevoked: 'revoked',
      ended: (count: number) => (count === 1 ? '1 inactive key' : `${count} inactive keys`),
      revoke: 'Revoke',
      revokeOf: (name: string) => `Revoke ${name}`,
      newTitle: 'New key',
      newLead: 'For a person or a program. You’ll see it only once, when it’s created.',
      name: 'Name',
      nameHint: 'Who or what uses it, such as “Phone at the front desk”.',
      nameMissing: 'Enter a name, so that you know later what the key is for.',
      nameTooLong: 'A name can have at most 200 characters.',
      permissions: 'Permissions',
      permissionsHint: 'A key can’t have more permissions than your own. A voice platform needs only the first.',
      permissionMissing: 'Choose at least one permission.',
      expiry: 'Expires after',
      expiryHint: 'It expires with your own key at the latest, on',
      expiryMissing: 'Choose when it expires.',
      periods: { 30: '30 days', 90: '90 days', 365: '1 year', never: 'Never' },
      submit: 'Create key',
      madeTitle: (name: string) => `Key “${name}”`,
      once: 'Copy it now. It isn’t stored, so it can’t be shown again.',
      onceHint: 'Treat it like a password. If you lose it, revoke it and create another.',
      saved: 'I’ve saved it',
      madeBefore:
        'This key has already been created. A key is shown only once: if you didn’t copy it, revoke it and create another.',
      revokeTitle: (name: string) => `Revoke “${name}”?`,
      revokeLead:
        'Whatever uses this key stops working within 30 seconds: a voice platform no longer gets answers, and anyone signed in with it is signed out. This can’t be undone.',
      revokeOwn: 'You’re signed in with this key. You’ll be signed out and need another one to sign in again.',
      revokeLast: 'No other key can change settings. After this, only whoever runs Cuecard can create one for you.',
      revokeSubmit: 'Revoke key',
      created: (count: number) =>
        count === 1 ? 'This key created 1 other key' : `This key created ${count} other keys`,
      revokeCreated: 'Revoke these, too. Do this if the key has leaked.',
      revoked: (names: readonly string[]) =>
        names.length === 1 ? `The key “${names[0]}” was revoked.` : `${names.length} keys were revoked.`,
    },
    usage: {
      title: 'Usage and limits',
      none: 'No agents yet.',
      documents: (count: number, max: number) =>
        `${count.toLocaleString('en')} of ${max.toLocaleString('en')} documents`,
      documentsOf: (agent: string) => `Documents of ${agent}`,
      files: (megabytes: number) =>
        `${megabytes.toLocaleString('en', { maximumSignificantDigits: megabytes < 100 ? 2 : 3 })} MB of files`,
      chunks: (count: number) => (count === 1 ? '1 passage' : `${count.toLocaleString('en')} passages`),
      tokens: 'Text processed today',
      tokensOf: (used: number, max: number) =>
        `${used.toLocaleString('en')} of ${max.toLocaleString('en')} tokens, about ${Math.round(max / 1.3).toLocaleString('en', { notation: 'compact' })} words`,
      tokensHint:
        'Once these tokens are used up, new texts wait until the next day, which starts at 00:00 UTC. Documents that are ready stay ready.',
      pipeline: 'Documents being processed',
      pipelineOf: (used: number, max: number) => `${used.toLocaleString('en')} of ${max.toLocaleString('en')}`,
    },
  },
} as const

function number(value: number): string {
  return value.toLocaleString('en')
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widened<T[K]> }

export type Words = Widened<typeof english>

export const words: Words = english
