import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'
import { operationsPage } from './operations.ts'

/** A test fails while the files differ from the declarations. */
const reference = new URL('../../functions/reference/', import.meta.url)
await writeFile(new URL('openapi.json', reference), `${JSON.stringify(openApiDocument(), null, 1)}\n`)
await writeFile(new URL('operations.md', reference), operationsPage())
