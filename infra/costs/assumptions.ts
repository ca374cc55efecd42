import { lambdas } from '../wiring.ts'

export const hoursPerMonth = 730

/** What a stage is used for in a month. */
export interface Use {
  name: string
  organizations: number
  /** Created or changed. */
  documents: number
  documentsKept: number
  /** By text. */
  searches: number
  /** Of Neon, on average. */
  computeUnits: number
}

export const uses: readonly Use[] = [
  { name: 'small', organizations: 10, documents: 1_000, documentsKept: 2_000, searches: 50_000, computeUnits: 0.25 },
  {
    name: '1,000 organizations',
    organizations: 1_000,
    documents: 20_000,
    documentsKept: 100_000,
    searches: 10_000_000,
    computeUnits: 1.5,
  },
  {
    name: 'a million documents',
    organizations: 10_000,
    documents: 1_000_000,
    documentsKept: 2_000_000,
    searches: 50_000_000,
    computeUnits: 6,
  },
]

/** Of 8 kB of text: 6 chunks of 400 tokens. */
export const document = {
  tokens: 2_400,
  chunks: 6,
  bytes: 46e3,
  polls: 3,
  embeddingSeconds: 2,
  /** Of ten documents one is a file of a megabyte. */
  fileShare: 0.1,
  fileBytes: 1e6,
  extractionSeconds: 5,
  /** Written to Neon's history for each byte stored: rows, indexes, states on the way. */
  writesPerByte: 3,
}

export const search = {
  tokens: 20,
  /** Whose vector is not known yet. */
  newShare: 0.7,
  /** With the provider, which is most of it, and without. */
  seconds: 0.4,
  secondsKnown: 0.06,
  /** A vector that is kept for 30 days, with its index. */
  vectorBytes: 4e3,
  responseBytes: 6e3,
  /** What the database sends the Lambda. */
  rowBytes: 12e3,
  providerRequestBytes: 1e3,
}

/** Of other requests. */
export const request = { seconds: 0.08, responseBytes: 2e3, rowBytes: 2e3 }

/** Since August 2025 billed like any other time. */
export const coldStarts = { share: 0.02, seconds: 0.7 }

export const lambdaGb = {
  api: lambdas.search.memoryMb / 1024,
  embedding: lambdas.embedding.memoryMb / 1024,
  extraction: lambdas.extraction.memoryMb / 1024,
  sweeper: lambdas.sweeper.memoryMb / 1024,
  canary: lambdas.canary.memoryMb / 1024,
}
export const sweeperSeconds = 0.3
export const canary = { runsPerMonth: (hoursPerMonth * 3600) / lambdas.canary.everySeconds, requests: 8, seconds: 5 }

/** Lines of the function and its metrics, Lambda's report, and the access log. */
export const logBytes = 3e3

/** Of two queues, five pollers each, one every 20 seconds. */
export const emptyReceives = (2 * 5 * hoursPerMonth * 3600) / 20
export const sqsRequestsPerDocument = 3.3

/** Of Neon. */
export const historyDays = 7
/** A backup of every night reads all, with vectors as text; it is kept, compressed, for 35 days. */
export const backup = { nights: 30.4, bytesReadPerChunk: 21e3, bytesKeptPerChunk: 5.2e3, daysKept: 35 }
