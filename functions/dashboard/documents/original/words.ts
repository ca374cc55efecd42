import { number } from '../../sentences.ts'

const listed = (pages: number[]) => new Intl.ListFormat('en').format(pages.map(number))

export const original = {
  /** `{page}`, `{pages}` and `{passage}` stand for numbers. */
  ofScript: {
    loading: 'Loading the file',
    failed: 'The file couldn’t be shown. You can download it.',
    page: 'Page {page} of {pages}',
    marked: 'Part {passage} is marked on page {page}.',
    notFound: 'Part {passage} wasn’t found on the pages, which may be pictures.',
  },
  checkPages: (pages: number[]) =>
    `Please check ${pages.length === 1 ? 'page' : 'pages'} ${listed(pages)} against the original:`,
  types: {
    pdf: 'a PDF or picture',
    docx: 'a text document, such as Word’s',
    csv: 'a table',
    txt: 'text, such as a web page',
    manual: 'text',
  },
  doubts: {
    doubtful_layout: 'columns or tables may have been mixed up.',
    doubtful_words: 'words may have been misread.',
  },
} as const
