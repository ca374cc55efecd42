/**
 * Every word that a person reads in the dashboard. A second language is a second such file, of the type `Words`. Each screen has a
 * group of its own; what a sentence takes in is an argument, so that a language may put it where it belongs.
 */
const english = {
  lang: 'en',
  product: 'Cuecard',
  title: (screen: string) => `${screen} · Cuecard`,
  skip: 'Skip to the content',
  signOut: 'Sign out',
  breadcrumbs: 'You are here',
  undo: 'Undo',
  cancel: 'Cancel',
  save: 'Save',
  copy: 'Copy',
  copied: 'Copied',
  older: 'Older',
  justNow: 'just now',
  offline: 'Cuecard cannot be reached. Check your connection, and try again.',
  restored: 'You were signed out before this was saved. What you typed is back: save it again.',

  navigation: { label: 'Main', agents: 'Agents', calls: 'Deleted calls', settings: 'Settings' },
  agent: { label: 'Of this agent', documents: 'Documents', ask: 'Ask', unanswered: 'Unanswered' },

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
    hint: 'It begins with cue_. Whoever set up Cuecard for you gave it to you, or can make you a new one.',
    submit: 'Sign in',
    missing: 'Enter your access key.',
    malformed: 'This is not a whole key. Copy it again, from cue_ to its last character.',
    refused: 'This key does not work. It may have been revoked, or have expired. Ask for a new one.',
    braked: (minutes: number) =>
      `Too many keys were refused from your network. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    ended: 'You were signed out. Sign in to go on.',
    signedOut: 'You are signed out.',
    sample: {
      asked: '“Hi, are you open on Sunday?”',
      title: 'Opening hours',
      cue: 'On Sundays we are closed. Monday to Saturday, we are open from 9 to 18.',
      promise: 'Your documents, found while the caller is still on the line.',
    },
  },

  errors: {
    notFound: 'This page does not exist',
    notFoundLead: 'The link may be old, or what it led to was deleted.',
    gone: 'This is not here any more',
    forbidden: 'Your key does not allow this',
    forbiddenLead: (permission: string) =>
      `It lacks the permission “${permission}”. Ask whoever gave you the key for one that has it.`,
    foreign: 'This request did not come from this page',
    foreignLead: 'Nothing was changed. Go back, reload the page and try again.',
    invalid: 'This could not be understood',
    invalidLead: 'Nothing was changed. Go back, reload the page and try again.',
    busy: 'Too many documents are being worked on',
    busyLead: 'Nothing was changed. Go back, wait until some of them are ready, and try again.',
    unavailable: 'Cuecard is out of reach for a moment',
    unavailableLead: 'Nothing is lost. Wait a moment, then reload the page.',
    unexpected: 'Something went wrong on our side',
    unexpectedLead: (requestId: string) =>
      `It was noted as ${requestId}. Try again; if it stays, tell whoever runs Cuecard.`,
    home: 'To your agents',
  },

  agents: {
    title: 'Agents',
    lead: 'Each voice agent answers callers from its own documents.',
    none: 'No agents yet',
    noneLead:
      'An agent is one voice on the phone, with documents of its own. Whoever runs Cuecard for you makes it with this command:',
    isOn: 'Answers callers',
    isOff: {
      none: 'Has no documents yet',
      pending: 'Reads its first documents',
      failed: 'Could read none of its documents',
    },
    documents: (count: number) => (count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`),
    ready: (count: number) => `${count.toLocaleString('en')} ready`,
    pending: (count: number) => `${count.toLocaleString('en')} in work`,
    failed: (count: number) => `${count.toLocaleString('en')} failed`,
    addFirst: 'Add the first document',
  },

  documents: {
    title: 'Documents',
    lead: 'What callers are told comes from these documents.',
    upload: {
      button: 'Upload files',
      drop: 'Drop files here, or choose them',
      accepted: 'PDF, Word, Excel, CSV, PowerPoint, HTML, Markdown and text files, at most 50 MB each.',
      needsScript: 'Your browser runs no JavaScript, which uploading a file needs. You can write a text all the same.',
      files: 'Files on their way',
      progress: (name: string) => `Upload of ${name}`,
      waiting: 'Waits for its turn',
      starting: 'Starting',
      uploading: 'Being uploaded',
      uploaded: (name: string) => `${name} is uploaded. Its text is being read.`,
      interrupted: 'The connection broke before the file was there. Try again.',
      refused: 'The file was not accepted. Try again, or reload the page.',
      retry: 'Try again',
      remove: 'Remove',
      notReplaceable: 'This document is being processed. Reload the page to see its state.',
      empty: 'The file is empty. Choose one with text in it.',
      tooLarge: 'The file has more than 50 MB. Split it, or leave large pictures out.',
      otherType:
        'Text cannot be read from files of this type. Choose a PDF, Word, Excel, CSV, PowerPoint, HTML, Markdown or text file.',
    },
    list: {
      search: 'Search titles',
      filter: 'By state',
      pages: 'Pages',
      searchButton: 'Search',
      groups: { all: 'All', ready: 'Ready', unfinished: 'In work', failed: 'Failed' },
      none: 'No documents yet',
      noneHint: 'Upload a file or write a text. A moment later callers are told what it says.',
      noneReadable: 'Somebody with a key that may write has to add the first.',
      noneFound: 'No document matches.',
      showAll: 'Show all documents',
      older: 'Older documents',
      newest: 'Newest documents',
    },
    full: 'This agent has 10,000 documents, the most there can be. Delete some first.',
    busy: 'Too many documents are being worked on. Wait until some of them are ready, then try again.',
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
      queued: 'Next in line',
      processing: 'Being prepared',
      awaitsFile: 'Waiting for the file',
      readingFile: 'Reading the file',
      awaitsPassages: 'Waiting for passages',
      awaitsPassagesDetail: 'Your own system sends its passages through the API.',
    },
    waiting: (reason: string, tries: number) =>
      `${sentence(reason)} ${tries === 1 ? 'It was tried once' : `It was tried ${tries} times`} and will be tried again by itself.`,
    /** Messages are written for callers of the API. */
    failure: (message: string) =>
      message.replaceAll('Set the status to pending to try again', `Choose “Try again” to have it prepared again`),
    previousIsServed: 'Callers are still told its previous version.',
    becameReady: (title: string) => `“${title}” is ready.`,
    becameFailed: (title: string) => `“${title}” failed.`,
    retry: 'Try again',
    retryOf: (title: string) => `Try again: “${title}”`,
    delete: {
      action: 'Delete',
      actionOf: (title: string) => `Delete “${title}”`,
      heading: (title: string) => `Delete “${title}”?`,
      consequence: (title: string) => `“${title}” will no longer be found by callers.`,
      file: 'Its file is deleted too.',
      final: 'Deleting cannot be undone.',
      confirm: 'Delete it',
      keep: 'Keep it',
      done: (title: string) => `“${title}” is deleted. Callers no longer find it.`,
      undone: (title: string) => `“${title}” is kept.`,
      unreachable: (title: string) => `“${title}” is still there: it could not be deleted. Try again.`,
      changed: (title: string) =>
        `“${title}” is still there: somebody has changed it since. Look at it before you delete it.`,
    },
    text: {
      write: 'Write text',
      writeHeading: 'Write a text',
      editHeading: (title: string) => `Edit “${title}”`,
      title: 'Title',
      titleHint: 'What it is about, such as “Opening hours”. Callers’ questions are matched with it too.',
      content: 'Text',
      contentHint: 'Plain text or Markdown. Headings and short paragraphs are found best.',
      saveNew: 'Save the text',
      saved: (title: string) => `“${title}” is saved.`,
      noTitle: 'Give it a title.',
      longTitle: 'A title has at most 500 characters.',
      noContent: 'Write what callers should be told.',
      longContent: 'A text that is written here has at most 1 MB. Split it, or upload it as a file.',
      tooLongToEdit: 'This text has more than 1 MB, too much to edit here.',
      fileStays: 'To change what it says, upload a new file and delete this document, or edit its text.',
      editTextOfFile: 'Edit its text',
      replacesFile: (file: string) =>
        `Editing makes this a text document: what you save replaces the file ${file}, which is deleted.`,
      saveAndDeleteFile: 'Save the text and delete the file',
      ofClient: 'Your own system makes this document’s passages, so its text is changed there.',
      gone: 'Somebody has deleted this document meanwhile. What you have written is here still: you can save it as a new one.',
      conflict: 'Somebody else has changed this document since you began.',
      conflictHint: 'Nothing is lost: your version is in the form, theirs beside it. Saving replaces theirs.',
      theirs: 'Their version',
      yours: 'Your version',
      saveMine: 'Save mine',
      keepTheirs: 'Keep theirs',
    },
    document: {
      edit: 'Edit',
      download: 'Download the file',
      text: 'Text',
      passagesHint:
        'A number stands where each passage begins. Search finds passages, and callers are told what they say.',
      pages: 'Pages of passages',
      passage: (n: number) => `Passage ${number(n)}`,
      range: (from: number, to: number, of: number) => `These are ${number(from)} to ${number(to)} of ${number(of)}.`,
      previous: 'Previous passages',
      next: 'Next passages',
      unsearchable: (found: number, of: number) =>
        `Search finds ${number(found)} of ${number(of)} passages: the others came without an embedding.`,
      noText: 'There is no text yet.',
    },
  },

  strengths: { good: 'Good match', possible: 'Possible match', weak: 'Weak match' },

  ask: {
    title: 'Ask',
    lead: 'Type what a caller would say, and see what your agent finds.',
    label: 'What a caller would say',
    submit: 'Ask',
    more: 'Other ways to look',
    modes: {
      hybrid: 'By words and meaning, as your agent does',
      semantic: 'By meaning alone',
      keyword: 'By words alone',
    },
    examples: 'For example',
    example1: (title: string) => `What can you tell me about ${title}?`,
    example2: (title: string) => `I have a question about ${title}`,
    example3: (title: string) => `Do you have anything on ${title}?`,
    nothingReady: 'There is nothing to find yet',
    nothingReadyLead: 'As soon as a document is ready, you can ask for what it says.',
    toDocuments: 'To the documents',
    passages: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    took: (total: string, embed: string, db: string) =>
      `Found in ${total} ms: ${embed} ms for the meaning of the question, ${db} ms in the database.`,
    degraded:
      'The meaning of the question was not there in time, so these were found by their words alone. In a call it is the same.',
    sought: 'Looked for',
    unknown: 'in no document',
    nothingSought: 'Nothing here can be looked for by words: these are said in every call.',
    none: 'Nothing was found',
    noneLead: 'Your agent would say that it does not know.',
    weak: 'Your agent may have no answer to this',
    weakLead: 'Even the best passage is a weak match. Is the answer in a document?',
    addDocument: 'Write a document that answers it',
    unavailable:
      'The meaning of questions cannot be compared at the moment. Look by words instead, or try again shortly.',
    exact: 'Exact scores',
    score: 'Score',
    byWords: 'By words',
    byMeaning: 'By meaning (cosine)',
    notCompared: 'not compared',
    has: (word: string) => `has “${word}”`,
    hasPart: (word: string) => `has a part of “${word}”`,
    lacks: (word: string) => `lacks “${word}”`,
    meaning: { close: 'Close in meaning', some: 'Somewhat close in meaning', far: 'Far in meaning' },
    whole: 'The whole passage',

    compare: {
      title: 'Did you expect another document?',
      lead: 'Choose it, to see where it stands and what it lacks.',
      filter: 'Part of its title',
      find: 'Find',
      noTitle: 'No title has this.',
      gone: 'The document that this was compared with is not here any more.',
      chosen: 'Compared with',
      place: (place: number, count: number) =>
        `Its best passage is number ${place.toLocaleString('en')} of ${count.toLocaleString('en')}. Your agent gets the first 5.`,
      placeAtBest: (place: number) =>
        `Its best passage is number ${place.toLocaleString('en')} or further down. Your agent gets the first 5.`,
      notServed: 'Search finds nothing of it yet: it is not ready. See on its own page what it is waiting for.',
      noWord: 'None of its words matches.',
      noneOf: (words: string) => `None of its words matches ${words}.`,
      lacks: (words: string) => `It lacks ${words}.`,
      hasAll:
        'It has every word that counted. Those above it have them more often or in fewer words, or are closer in meaning.',
      isFirst: 'This is what your agent finds first.',
    },
  },

  unanswered: {
    title: 'Unanswered',
    lead: 'What callers asked and your agent found little for, in the last 30 days. Questions that ask alike are one entry.',
    counts: (unanswered: number, asked: number) =>
      `${number(unanswered)} of ${number(asked)} ${asked === 1 ? 'question' : 'questions'} found little or nothing.`,
    also: 'Also',
    andMore: (count: number) => `${number(count)} more`,
    times: (count: number) => (count === 1 ? 'Asked once' : `Asked ${number(count)} times`),
    lastTime: 'last',
    write: 'Answer it',
    writeOf: (question: string) => `Answer it: “${question}”`,
    ask: 'Try again',
    askOf: (question: string) => `Try again: “${question}”`,
    remove: 'Remove',
    removeOf: (question: string) => `Remove “${question}” from the list`,
    removed: (count: number) => (count === 1 ? 'The question is deleted.' : `${number(count)} questions are deleted.`),
    goneBefore: 'These questions are not here any more.',
    more: (count: number) => `And ${number(count)} more: they move up when you remove some.`,
    nothingYet: 'No questions yet',
    nothingYetLead: 'From now on, what callers ask comes here when your agent finds little for it.',
    allAnswered: 'Nothing is unanswered',
    allAnsweredLead: (asked: number) =>
      asked === 1
        ? 'Your agent found something for the one question.'
        : `Your agent found something for all ${number(asked)} questions.`,
    clear: 'Delete all questions',
    clearTitle: 'Delete all questions of this agent’s callers?',
    clearLead: (asked: number) =>
      `${asked === 1 ? 'The one question' : `All ${number(asked)} questions`} of the last 30 days will be deleted, the answered ones too. Nobody can bring them back.`,
    clearSubmit: 'Delete all',
  },

  questionLog: {
    title: 'Keep what callers ask',
    on: 'On',
    off: 'Off',
    what: 'Each question that a caller’s agent looks up is kept for 30 days, with how well it was answered. Under “Unanswered”, you see what your documents lack.',
    care: 'Only the words are kept: no number, no name of the caller, no recording. But callers may say such things, so tell them if your law asks for it. Whoever may change documents can read and delete the questions. At most 200 an hour are kept.',
    turnOn: 'Keep questions',
    turnOff: 'Stop keeping questions',
    turnedOn: 'From now on, questions are kept for 30 days.',
    turnedOff:
      'No more questions are kept. Those from before stay for 30 days, unless you delete them under “Unanswered”.',
    whoMay: 'A key with the permission “Change settings, keys and calls” can turn this on and off.',
  },

  calls: {
    title: 'Deleted calls',
    lead: 'What is here can be restored, or deleted for good.',
    leadAutomatic: 'Calls come here when they are done. They can be restored, or deleted for good.',
    none: 'No deleted calls',
    noMore: 'No more deleted calls',
    noneLead: 'Calls stay where they are when they are done. In the settings you can have them deleted instead.',
    noneAutomatic: 'When a call is done, it comes here, and can be restored or deleted for good.',
    toSettings: 'To the settings',
    began: 'Call of',
    deleted: 'deleted',
    restore: 'Restore',
    restoreOf: (agent: string) => `Restore the call with ${agent}`,
    restored: 'The call is restored.',
    purge: 'Delete for good',
    purgeTitle: 'Delete this call for good?',
    purgeLead: 'It will be gone for everybody, at once. Nobody can bring it back, and neither can we.',
    purgeSubmit: 'Delete for good',
    purged: 'The call is deleted for good.',
    notInTrash: 'This call is not here any more: it was restored or deleted before.',
  },

  settings: {
    title: 'Settings',
    autoDelete: {
      title: 'Delete calls when they are done',
      on: 'On',
      off: 'Off',
      leadOn: 'A call goes to the deleted calls as soon as it is done.',
      leadOff: 'A call stays when it is done.',
      hint: 'A change applies to calls that are done from then on. Deleted calls can be restored until you delete them for good.',
      turnOn: 'Turn on',
      turnOff: 'Turn off',
      changed: {
        on: 'From now on, calls are deleted when they are done.',
        off: 'From now on, calls stay when they are done.',
      },
    },
    keys: {
      title: 'Keys',
      lead: 'People sign in with a key. Voice platforms and other programs use one, too. Give each its own.',
      add: 'New key',
      own: 'You signed in with this key',
      mayAll: 'Everything',
      made: 'Made',
      expires: 'works until',
      neverExpires: 'does not expire',
      hasExpired: 'expired',
      wasRevoked: 'revoked',
      ended: (count: number) => (count === 1 ? '1 key that works no more' : `${count} keys that work no more`),
      revoke: 'Revoke',
      revokeOf: (name: string) => `Revoke ${name}`,
      newTitle: 'New key',
      newLead: 'For a person or a program. You see it once, when it is made.',
      name: 'Name',
      nameHint: 'Who or what uses it, such as “Phone at the front desk”.',
      nameMissing: 'Give it a name, so that you know later what it is for.',
      nameTooLong: 'A name has at most 200 characters.',
      permissions: 'What it may do',
      permissionsHint: 'A key can get what your own may do, and no more. A voice platform needs the first alone.',
      permissionMissing: 'Choose at least one.',
      expiry: 'How long it works',
      expiryHint: 'It ends with your own key at the latest, on',
      expiryMissing: 'Choose how long it works.',
      periods: { 30: '30 days', 90: '90 days', 365: 'A year', never: 'Until it is revoked' },
      submit: 'Make the key',
      madeTitle: (name: string) => `The key “${name}”`,
      once: 'Copy it now. It is not stored, so nobody can show it again.',
      onceHint: 'Treat it like a password. If it gets lost, revoke it and make another.',
      saved: 'I have saved it',
      madeBefore: 'This key was made before. A key is shown once: if you did not copy it, revoke it and make another.',
      revokeTitle: (name: string) => `Revoke “${name}”?`,
      revokeLead:
        'Whatever uses this key stops working within half a minute: a voice platform finds no more answers, and whoever signed in with it is signed out. It cannot be made to work again.',
      revokeOwn: 'You signed in with this key yourself. You will be signed out, and need another one to come back.',
      revokeLast: 'No other key may change settings. After this, only whoever runs Cuecard can make you one.',
      revokeSubmit: 'Revoke the key',
      created: (count: number) => (count === 1 ? 'This key made 1 other key' : `This key made ${count} other keys`),
      revokeCreated: 'Revoke these, too. Do so if the key has leaked.',
      revoked: (names: readonly string[]) =>
        names.length === 1 ? `The key “${names[0]}” is revoked.` : `${names.length} keys are revoked.`,
    },
    usage: {
      title: 'Limits and use',
      none: 'No agents yet.',
      documents: (count: number, max: number) =>
        `${count.toLocaleString('en')} of ${max.toLocaleString('en')} documents`,
      documentsOf: (agent: string) => `Documents of ${agent}`,
      files: (megabytes: number) =>
        `${megabytes.toLocaleString('en', { maximumSignificantDigits: megabytes < 100 ? 2 : 3 })} MB of files`,
      chunks: (count: number) => (count === 1 ? '1 passage' : `${count.toLocaleString('en')} passages`),
      tokens: 'Read for search today',
      tokensOf: (used: number, max: number) =>
        `${used.toLocaleString('en')} of ${max.toLocaleString('en')} tokens, about ${Math.round(max / 1.3).toLocaleString('en', { notation: 'compact' })} words`,
      tokensHint:
        'Once they are used up, new texts wait for the next day, which begins at 00:00 UTC. What is ready stays ready.',
      pipeline: 'Documents in work',
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
