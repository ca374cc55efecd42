import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'

/** Writes the document that the reference Lambda serves; the tests fail while it differs from what the code declares. */
await writeFile(
  new URL('../../functions/reference/openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(), null, 1)}\n`,
)
