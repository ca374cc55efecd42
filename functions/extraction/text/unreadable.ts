const messages = {
  empty: 'The file is empty. Choose the right file and upload it again.',
  no_text:
    'The file holds no text. If its pages are pictures, save it with text recognition (OCR) and upload it again, or enter the text by hand.',
  scan: 'This PDF is a scan: it holds pictures of pages and no text. Save it with text recognition (OCR) and upload it again.',
  scrambled:
    'The letters of this PDF cannot be read: its fonts do not say which characters they show. Save the document as PDF or Word (.docx) again in the program that it was written with, and upload that.',
  encrypted: 'The file is protected with a password. Save it without the password and upload it again.',
  old_word: 'This is a Word document of the old format (.doc). Open it in Word, save it as .docx and upload that.',
  old_excel:
    'This is an Excel workbook of an old or binary format (.xls, .xlsb). Open it in Excel, save it as .xlsx and upload that.',
  old_powerpoint:
    'This is a presentation of the old format (.ppt). Open it in PowerPoint, save it as .pptx and upload that.',
  image:
    'This is a picture. Save it as a PDF with text recognition (OCR), or type its text into a document, and upload that.',
  archive: 'This is an archive of files (such as .zip). Unpack it and upload the documents in it one by one.',
  pages:
    'This is a document of Apple’s Pages, Numbers or Keynote. Export it as PDF, Word, Excel or PowerPoint and upload that.',
  unsupported:
    'Files of this kind cannot be read. Upload a PDF, Word (.docx), Excel (.xlsx), CSV, PowerPoint (.pptx), HTML, Markdown or text file.',
  damaged:
    'The file is damaged or was not uploaded completely. Open it in the program that it was written with, save it again and upload that.',
  hidden_parts:
    'This is an OpenDocument spreadsheet with hidden sheets, rows or columns. Save it as Excel workbook (.xlsx), from which hidden parts are left out, and upload that.',
  suspicious:
    'The file unpacks to far more than a document of its kind holds, or is built as no office program builds it. Save it again in the program that it was written with and upload that.',
  too_complex:
    'The file is too large or too complicated to be read: it takes more time or memory than there is. Split it into smaller files, or save it again in the program that it was written with, and upload those.',
  too_much_text: 'The file holds more than 4 MiB of text. Split it into smaller files and upload those.',
  too_many_pages: 'The PDF has more than 5,000 pages. Split it into smaller files and upload those.',
} as const

export type UnreadableCode = keyof typeof messages

/** The file is at fault for good. `message` tells a person what to do. */
export class Unreadable extends Error {
  readonly code: UnreadableCode

  constructor(code: UnreadableCode, cause?: unknown) {
    super(messages[code], { cause })
    this.name = 'Unreadable'
    this.code = code
  }
}
