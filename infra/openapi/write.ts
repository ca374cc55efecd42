import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'

/** Writes the document that the reference Lambda serves; a test fails while it differs from the declarations. */
await writeFile(
  new URL('../../functions/reference/openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(), null, 1)}\n`,
)
