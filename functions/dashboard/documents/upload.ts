import type { Context } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import { createFileDocument, replaceFile, reportFile } from '../../../shared/documents/client/file-document.ts'
import { fileExtensions, fileTypeOf, maxFileBytes } from '../../../shared/files/file-types.ts'
import type { Presigner } from '../../../shared/files/presigner.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { isError } from '../error-view.ts'
import type { Form } from '../forms.ts'
import { documentRoute, documentsRoute } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { tooMany } from './edits.ts'
import { findOverview } from './overview.ts'
import { mayReplaceFile } from './state.ts'

/** `{name}` stands for a file's name. */
const ofScript = {
  progress: 'Uploading {name}',
  waiting: 'Waiting',
  uploading: 'Uploading',
  uploaded: '{name} is uploaded. Its text is being read.',
  interrupted: 'The connection was lost during the upload. Try again.',
  refused: 'The file wasn’t accepted. Try again, or reload the page.',
  remove: 'Remove',
  cancel: 'Cancel',
}
const otherType =
  'This type of file isn’t supported. Choose a PDF, Word, Excel (.xlsx), PowerPoint (.pptx), OpenDocument, RTF, CSV, HTML, e-mail (.eml), EPUB, Markdown or text file, or a picture (JPG, PNG).'
const ofPhone =
  'iPhones save photos in a format (HEIC) that can’t be read here. Send a screenshot of it, or set Settings > Camera > Formats to “Most Compatible” and take it again.'

const bytes = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}$/),
  v.transform(Number),
  v.minValue(1, 'The file is empty. Choose one that contains text.'),
)
const announced = v.object({
  name: v.pipe(
    v.string(otherType),
    v.check((name) => !/\.hei[cf]$/i.test(name), ofPhone),
    v.check((name) => fileTypeOf(name) !== undefined, otherType),
  ),
  bytes: v.pipe(
    bytes,
    v.maxValue(maxFileBytes, 'The file is larger than 50 MB. Split it, or leave out large pictures.'),
  ),
})

/** upload.js announces a file for a new or an existing document, gets a form to post it with, and reports the upload. */
export function addUploadRoutes(screens: Screens, queue: Sender, presigner: Presigner) {
  const permission = 'kb:write'
  screens
    .post(`${documentsRoute}/files`, { permission, form: announced }, async ({ c, db, scope, form, origin }) => {
      if (!form.isValid) await getAgent(db, scope)
      return await answer(c, form, (file) => createFileDocument(db, scope, file, origin, { mayReplace: true }))
    })
    .post(`${documentRoute}/file`, { permission, form: announced }, async ({ c, db, scope, form, origin }) => {
      if (!form.isValid) await findOverview(db, scope)
      return await answer(c, form, async (file) => {
        try {
          return { document: { id: scope.documentId }, ...(await replaceFile(db, scope, file, origin)) }
        } catch (error) {
          const isReady = isError(error, 'invalid_transition') && mayReplaceFile(await findOverview(db, scope))
          if (!isReady) throw error
        }
        const asked = { mayReplace: true, replaces: scope.documentId }
        return await createFileDocument(db, scope, file, origin, asked)
      })
    })
    .post(`${documentRoute}/uploaded`, { permission }, async ({ c, db, scope, origin }) => {
      await reportFile({ db, queue }, scope, origin)
      return c.body(null, 204)
    })

  /** Answers with the form that uploads the file to its document, or with the reason for a refusal. */
  async function answer(
    c: Context<ApiEnv>,
    form: Form<v.InferOutput<typeof announced>>,
    documentFor: (file: Parameters<typeof replaceFile>[2]) => Promise<{ document: { id: string }; key: string }>,
  ) {
    if (!form.isValid) return c.json({ message: Object.values(form.faults)[0] }, 422)
    const { name, bytes } = form.values
    try {
      const { document, key } = await documentFor({ fileName: name, fileBytes: bytes, bucket: presigner.bucket })
      return c.json({ documentId: document.id, ...presigner.presignPost(key, bytes) }, 201)
    } catch (error) {
      if (isError(error, 'invalid_transition'))
        return c.json({ message: 'This document is being processed. Reload the page to see its state.' }, 409)
      const { message, status } = tooMany(error)
      return c.json({ message }, status)
    }
  }
}

/** @param documentId the document that gets the file; without it, each file makes a document */
export function uploadView(base: string, documentId?: string) {
  return html`<section id="upload" class="upload" data-address="${base}" ${documentId && html`data-replaces="${documentId}"`} data-words="${JSON.stringify(ofScript)}">
<button type="button" class="drop" data-choose aria-describedby="upload-accepted" hidden><strong>${documentId ? 'Choose the file' : 'Choose files'}</strong>
<small id="upload-accepted">Or drop ${documentId ? 'it' : 'them'} here: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, CSV, web pages, e-mails (.eml), EPUB, Markdown and text files, scans and photos (JPG, PNG), at most 50 MB each.</small></button>
<input type="file" ${!documentId && 'multiple'} hidden accept="${fileExtensions.map((extension) => `.${extension}`).join(',')}" aria-label="Upload files">
<noscript><p>Uploading files needs JavaScript, which is off in your browser. You can still write a text.</p></noscript>
<ul aria-label="Uploads"></ul>
<template><li class="panel head"><p><strong class="name"></strong> <span class="message" role="status"></span></p>
<div class="actions"><button type="button" class="plain" data-retry hidden>Try again</button>
<button type="button" class="quiet" data-cancel>Cancel</button></div>
<progress max="1" value="0"></progress></li></template>
</section>`
}
