import { generateClient, lintDocument } from './redocly.ts'

/** Part of `npm run check`: lints the document and generates the client that the tests are type-checked against. */
await Promise.all([lintDocument(), generateClient()])
