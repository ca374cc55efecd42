import type { SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/work/consume.ts'
import { type Extraction, extractDocument } from './extract-document.ts'

export const consumer = (extraction: Extraction) => (event: SQSEvent) =>
  consume(extraction.queue, event.Records, { document: (message) => extractDocument(extraction, message) })
