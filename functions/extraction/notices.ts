import * as v from 'valibot'
import { fileKey, toKey } from '../../shared/files/file-url.ts'
import { parseMessage, type WorkMessage } from '../../shared/queue.ts'

/** A document to look at, and the key of the file, if the bucket has reported one. */
export interface Notice extends WorkMessage {
  uploadedKey?: string
}

/** As S3 encodes keys in events: a space is a plus. */
const encodedKey = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return decodeURIComponent(dataset.value.replaceAll('+', ' '))
    } catch (error) {
      addIssue({ message: String(error) })
      return NEVER
    }
  }),
  fileKey,
)

/** What S3 sends when notifications are set up. */
const testEvent = v.pipe(
  v.object({ Event: v.literal('s3:TestEvent') }),
  v.transform((): Notice[] => []),
)

const uploads = v.pipe(
  v.object({ Records: v.array(v.object({ s3: v.object({ object: v.object({ key: encodedKey }) }) })) }),
  v.transform(({ Records }) =>
    Records.map(({ s3 }): Notice => {
      const { organizationId, documentId } = s3.object.key
      return { organizationId, documentId, uploadedKey: toKey(s3.object.key) }
    }),
  ),
)

const event = v.pipe(v.string(), v.parseJson(), v.union([uploads, testEvent]))

/** Of the bucket's events and of our own messages. @returns undefined for any other */
export function parseNotices(body: string): Notice[] | undefined {
  const work = parseMessage(body)
  if (work) return [work]
  const result = v.safeParse(event, body)
  return result.success ? result.output : undefined
}
