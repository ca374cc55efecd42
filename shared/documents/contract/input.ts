import * as v from 'valibot'
import { fileExtensions, fileTypeOf, maxFileBytes } from '../../files/file-types.ts'
import { toFileName } from '../../files/file-url.ts'
import { described, fields, integer, listOf, maxCharacters, printable } from '../../http/input/fields.ts'
import { metadata } from '../../http/input/metadata.ts'
import { time } from '../../http/input/time.ts'
import { maxContentBytes } from './max-content-bytes.ts'

export const title = v.pipe(
  v.string('must be a string'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(500),
  v.metadata({ maxLength: 500, description: 'Its length counts after trimming.' }),
)
export const content = v.pipe(
  v.string('must be a string'),
  v.regex(/\S/, 'must have at least one character that is not a space'),
  v.maxBytes(maxContentBytes, `must have at most ${maxContentBytes} bytes of UTF-8`),
  v.metadata({
    minLength: 1,
    maxLength: maxContentBytes,
    description: 'Plain text or Markdown of at most 4 MiB of UTF-8, with at least one character that is not a space.',
  }),
)

export const externalId = described(printable(255), 'Your own id of the document, unique within its agent.')

const identity = {
  external_id: v.optional(v.nullable(externalId)),
  metadata: v.optional(metadata),
}

const validity = {
  valid_from: v.optional(v.nullable(described(time, 'Search serves the document from this time on.'))),
  valid_until: v.optional(
    v.nullable(described(time, 'Search serves the document before this time; later than `valid_from`.')),
  ),
}

type Validity = { valid_from?: string | null | undefined; valid_until?: string | null | undefined }

export const neverValid = 'must be later than `valid_from`'

function isEverValid<Body extends Validity>() {
  const check = v.check<Body, string>(
    ({ valid_from: from, valid_until: until }) => !from || !until || from < until,
    neverValid,
  )
  return v.forward(check, ['valid_until' as never])
}

export const createBody = v.pipe(
  fields({ title, content: v.optional(content), ...identity, ...validity }),
  isEverValid(),
  v.metadata({ title: 'NewDocument' }),
)

const ignore_golden_questions = v.optional(
  described(v.boolean('must be true or false'), 'Makes the change even if blocking golden questions would fail.'),
)

export const putBody = v.pipe(
  fields({
    title,
    content,
    external_id: v.optional(described(externalId, 'Optional. If given, it must equal the one in the path.')),
    metadata: identity.metadata,
    ...validity,
    ignore_golden_questions,
  }),
  isEverValid(),
  v.metadata({ title: 'WholeDocument' }),
)

export const fileBody = v.pipe(
  fields({
    name: v.pipe(
      v.string('must be a string'),
      maxCharacters(255),
      v.check(
        (name) => fileTypeOf(toFileName(name)) !== undefined,
        `must end in one of ${fileExtensions.map((extension) => `.${extension}`).join(', ')}`,
      ),
      v.description('The file’s name. Its extension decides the format until the content has been read.'),
    ),
    bytes: described(integer(1, maxFileBytes), 'The file’s size.'),
    title: v.optional(described(title, 'Without it, the title in the file, or the file’s name.')),
    ...identity,
    ...validity,
  }),
  isEverValid(),
  v.metadata({ title: 'NewFile' }),
)

export const batchBody = v.pipe(
  fields({
    documents: v.pipe(
      listOf(createBody, { items: 'documents', min: 1, max: 100 }),
      v.checkItems(
        ({ external_id }, index, documents) =>
          !external_id || documents.findIndex((other) => other.external_id === external_id) === index,
        'has the same `external_id` as another document of the batch',
      ),
    ),
  }),
  v.title('NewDocuments'),
)

export const updateBody = v.pipe(
  fields({
    title: v.optional(title),
    content: v.optional(content),
    status: v.optional(
      described(
        v.picklist(['pending', 'completed'], 'must be pending (process again) or completed (chunks are uploaded)'),
        '`pending` processes the content again; `completed` puts uploaded chunks into service.',
      ),
    ),
    ...identity,
    ...validity,
    ignore_golden_questions,
  }),
  v.check(
    ({ ignore_golden_questions, ...body }) => Object.keys(body).length > 0,
    'must hold at least one of title, content, status, external_id, metadata, valid_from, valid_until',
  ),
  isEverValid(),
  v.metadata({ title: 'DocumentUpdate', minProperties: 1 }),
)

export const flag = (description: string) =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false'], 'must be true or false'),
      v.transform((text) => text === 'true'),
      v.description(description),
    ),
  )

export const removalQuery = fields({
  ignore_golden_questions: flag('Deletes even if blocking golden questions would fail.'),
})

export const restorationQuery = fields({
  ignore_golden_questions: flag('Restores even if blocking golden questions would fail.'),
})

export const deletionQuery = fields({
  ...removalQuery.entries,
  trash: flag(
    'Puts it into the trash, from which it can be restored for 30 days. Otherwise it is deleted for good, even if it is in the trash.',
  ),
})

export type CreateInput = v.InferOutput<typeof createBody>
export type PutInput = v.InferOutput<typeof putBody>
export type UpdateInput = v.InferOutput<typeof updateBody>
