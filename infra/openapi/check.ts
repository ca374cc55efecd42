import { generateClient, lintDocument } from './redocly.ts'

/** Part of `npm run check`: the document is linted, and the client that the tests type-check against is made of it. */
await Promise.all([lintDocument(), generateClient()])
