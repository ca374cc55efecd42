import { selection } from './selection/words.ts'

export const documents = {
  upload: {
    /** `{name}` stands for the name of a file. */
    ofScript: {
      progress: 'Uploading {name}',
      waiting: 'Waiting',
      starting: 'Starting',
      uploading: 'Uploading',
      uploaded: '{name} is uploaded. Its text is being read.',
      interrupted: 'The connection was lost during the upload. Try again.',
      refused: 'The file wasn’t accepted. Try again, or reload the page.',
      remove: 'Remove',
    },
    otherType:
      'This type of file isn’t supported. Choose a PDF, Word, Excel (.xlsx), PowerPoint (.pptx), OpenDocument, RTF, CSV, HTML, e-mail (.eml), EPUB, Markdown or text file, or a picture (JPG, PNG).',
  },
  list: {
    groups: { all: 'All', ready: 'Ready', unfinished: 'Processing', failed: 'Failed' },
  },
  busy: 'Too many documents are being processed. Wait until some of them are ready, then try again.',
  types: {
    manual: 'Text',
    pdf: 'PDF',
    picture: 'Picture',
    docx: 'Word document',
    xlsx: 'Spreadsheet',
    csv: 'CSV table',
    pptx: 'Presentation',
    html: 'Web page',
    md: 'Markdown',
    epub: 'E-book',
    eml: 'E-mail',
    txt: 'Text file',
  },
  /** Messages are written for callers of the API. */
  failure: (message: string) =>
    message
      .replaceAll(' and delete this document', '')
      .replaceAll('set the status to pending with ignore_golden_questions', 'choose “Serve it all the same”')
      .replaceAll('golden question', 'check')
      .replaceAll('Set the status to pending to try again', `Choose “Try again” to process it again`),
  uploadAgain: { missing: 'Try again', faulty: 'Replace the file' },
  uploadAgainOf: {
    missing: (title: string) => `Try again: upload the file of “${title}”`,
    faulty: (title: string) => `Replace the file of “${title}”`,
  },
  delete: {
    done: (title: string) => `“${title}” is in the trash.`,
    changed: (title: string) =>
      `“${title}” wasn’t deleted: somebody has changed it in the meantime. Check it before you delete it.`,
  },
  text: {
    saved: (title: string) => `“${title}” was saved.`,
    noContent: 'Enter the text that callers should get answers from.',
  },
  dates: {
    from: 'First day',
    until: 'Last day',
    notInOrder: 'The last day is before the first.',
  },
  selection,
} as const
