import type { SQSEvent } from 'aws-lambda'
import { consumeInTurn } from '../../shared/work/consume.ts'
import { type Extraction, extractDocument } from './extract-document.ts'

export const consumer = (extraction: Extraction) => (event: SQSEvent) =>
  consumeInTurn(extraction.queue, event.Records, { document: (message) => extractDocument(extraction, message) })
