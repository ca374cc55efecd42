import { generateClient, lintDocument } from './redocly.ts'

await Promise.all([lintDocument(), generateClient()])
