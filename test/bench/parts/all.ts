import type { Part } from '../part.ts'
import { chunker } from './chunker.ts'
import { start } from './cold-start.ts'
import { ingest } from './ingest.ts'
import { recall } from './recall.ts'
import { search } from './search.ts'
import { tableSize } from './table-size.ts'
import { upload } from './upload.ts'
import { wal } from './wal.ts'

export const parts: readonly Part[] = [ingest, search, recall, tableSize, upload, chunker, start, wal]
