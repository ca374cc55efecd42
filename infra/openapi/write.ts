import { writeFile } from 'node:fs/promises'
import { openApiDocument } from './document.ts'

/** A test fails while the file differs from the declarations. */
await writeFile(
  new URL('../../functions/reference/openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(), null, 1)}\n`,
)
