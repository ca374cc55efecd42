import PostalMime, { type Email } from 'postal-mime'
import type { Block } from '../../../../shared/text/blocks.ts'
import { htmlBlocks } from '../../../../shared/text/html/html.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'

/** The subject, sender and date, and the body; attachments are only named. @throws Unreadable */
export async function readMail(file: Buffer): Promise<{ blocks: Block[]; title: string | undefined }> {
  const mail = await PostalMime.parse(file).catch((error) => {
    throw new Unreadable('too_complex', error)
  })
  const title = mail.subject?.replace(/^((re|fwd?|aw|wg|tr|rv)\s*:\s*)+/i, '').trim() || undefined
  const body = mail.html ? htmlBlocks(mail.html) : []
  const blocks = [...head(mail, title), ...(body.length > 0 ? body : paragraphs(mail.text ?? '')), ...leftOut(mail)]
  return { blocks, title }
}

function head({ from, headers }: Email, title: string | undefined): Block[] {
  const sender = from?.name && from.address ? `${from.name} <${from.address}>` : from?.name || from?.address
  // The day as the sender wrote it: in another time zone it may be another.
  const date = headers.find(({ key }) => key === 'date')?.value.replace(/(\d{4}) .*/s, '$1')
  const lines = [sender && `From: ${sender}`, date && `Date: ${date}`]
  return [
    ...(title ? [{ kind: 'heading', level: 1, text: title } as const] : []),
    { kind: 'paragraph', text: lines.filter(Boolean).join('\n') },
  ]
}

function paragraphs(text: string): Block[] {
  return text.split(/\n\s*\n/).map((part) => ({ kind: 'paragraph', text: part }))
}

/** Names the attachments; pictures that the body shows are none to a reader. */
function leftOut({ attachments }: Email): Block[] {
  const names = attachments.flatMap(({ filename, disposition, related }) =>
    related || disposition === 'inline' || !filename ? [] : [filename],
  )
  return names.length > 0 ? [{ kind: 'paragraph', text: `Attachments (not included): ${names.join(', ')}` }] : []
}
