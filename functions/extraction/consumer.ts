import type { SQSEvent } from 'aws-lambda'
import { consume, consumeInTurn } from '../../shared/documents/processing/attempt.ts'
import { type Extraction, extractDocument } from './extract-document.ts'

export const consumer = (extraction: Extraction) => (event: SQSEvent) =>
  consumeInTurn(event.Records, (record) =>
    consume(extraction.queue, record, (message) => extractDocument(extraction, message)),
  )
