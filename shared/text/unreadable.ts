const messages = {
  empty: 'The file is empty. Choose the right file and upload it again.',
  no_text:
    'The file contains no text. If it shows some, as a scan or a photo does, make a sharper and brighter picture of it and upload it again, or type the text.',
  scrambled:
    'The text of this PDF can’t be read, because its fonts don’t say which characters they show. Save it as PDF or Word (.docx) again in the program that created it, and upload that.',
  encrypted: 'The file is protected with a password. Save it without the password and upload it again.',
  old_excel:
    'This is an Excel workbook in an old or binary format (.xls, .xlsb). Open it in Excel, save it as .xlsx and upload that.',
  old_powerpoint:
    'This is a presentation in the old format (.ppt). Open it in PowerPoint, save it as .pptx and upload that.',
  image: 'Pictures of this type can’t be read. Save it as JPG or PNG and upload that.',
  picture_too_large:
    'The picture has more than 50 megapixels. Save it smaller, with at most 8,000 pixels on its longer side, and upload that.',
  outlook:
    'This is a message in the format of Outlook (.msg). Open it in Outlook, save it as HTML, or print it as a PDF, and upload that.',
  archive: 'This is an archive of files (such as .zip). Unpack it and upload the documents in it one by one.',
  pages: 'This is a Pages, Numbers or Keynote document. Export it as PDF, Word, Excel or PowerPoint and upload that.',
  unsupported:
    'Files of this type can’t be read. Save it as PDF, Word (.docx), Excel (.xlsx) or PowerPoint (.pptx) in the program that created it, or upload a CSV, HTML, e-mail (.eml), EPUB, Markdown or text file.',
  damaged:
    'The file is damaged or was not uploaded completely. Open it in the program that created it, save it again and upload that.',
  adobe_form:
    'This is a form that only Adobe’s programs can show (dynamic XFA). Open it in Adobe Acrobat Reader, print it as a PDF, and upload that.',
  hidden_parts:
    'This is an OpenDocument spreadsheet with hidden sheets, rows or columns. Save it as Excel workbook (.xlsx), from which hidden parts are left out, and upload that.',
  suspicious:
    'The file is not built like a normal document of its type. Save it again in the program that created it and upload that.',
  too_complex:
    'The file is too large or too complex to be read. Split it into smaller files, or save it again in the program that created it, and upload those.',
  too_much_text: 'The file contains more than 4 MiB of text. Split it into smaller files and upload those.',
  too_many_scans:
    'The file has more scanned pages than can be read at once. Split it into files of at most 30 pages and upload those.',
  too_many_pages: 'The PDF has more than 5,000 pages. Split it into smaller files and upload those.',
} as const

export type UnreadableCode = keyof typeof messages

/** A fault of the file, which no retry can mend. `message` tells a person what to do. */
export class Unreadable extends Error {
  readonly code: UnreadableCode

  constructor(code: UnreadableCode, cause?: unknown) {
    super(messages[code], { cause })
    this.name = 'Unreadable'
    this.code = code
  }
}
