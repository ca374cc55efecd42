import { lambdas } from '../wiring.ts'
import {
  backup,
  canary,
  coldStarts,
  document,
  emptyReceives,
  historyDays,
  hoursPerMonth,
  lambdaGb,
  logBytes,
  request,
  search,
  sqsRequestsPerDocument,
  sweeperSeconds,
  type Use,
} from './assumptions.ts'
import { type Price, prices } from './prices.ts'
import type { Resources } from './resources.ts'

type Quantities = Partial<Record<keyof typeof prices, number>>

export interface Row {
  item: string
  /** How it is reckoned, for a reader. */
  of: string
  quantities: (use: Use, resources: Resources) => Quantities
}

const sweeperRuns = (hoursPerMonth * 3600) / lambdas.sweeper.everySeconds
const secondsPerMonth = hoursPerMonth * 3600
/** Neon's allowance. */
const freeNeonEgress = 100e9

const otherRequests = ({ documents }: Use) => documents * (1 + document.polls) + canary.runsPerMonth * canary.requests
const requests = (use: Use) => use.searches + otherRequests(use)
const newSearches = ({ searches }: Use) => searches * search.newShare
const invocations = (use: Use) => requests(use) + use.documents + sweeperRuns + canary.runsPerMonth

export const rows: readonly Row[] = [
  { item: 'HTTP API', of: 'searches, creates, polls, canary', quantities: (use) => ({ httpRequest: requests(use) }) },
  {
    item: 'API Lambdas',
    of: 'seconds × GB of searches, other requests and cold starts',
    quantities: (use) => {
      const searching = newSearches(use) * search.seconds + (use.searches - newSearches(use)) * search.secondsKnown
      const starting = requests(use) * coldStarts.share * coldStarts.seconds
      const seconds = searching + otherRequests(use) * request.seconds + starting
      return { lambdaCompute: seconds * lambdaGb.api, lambdaRequest: requests(use) }
    },
  },
  {
    item: 'Embedding Lambda',
    of: 'documents',
    quantities: ({ documents }) => ({
      lambdaCompute: documents * document.embeddingSeconds * lambdaGb.embedding,
      lambdaRequest: documents,
    }),
  },
  {
    item: 'Extraction Lambda, uploads',
    of: 'files',
    quantities: ({ documents }) => {
      const files = documents * document.fileShare
      return {
        lambdaCompute: files * document.extractionSeconds * lambdaGb.extraction,
        lambdaRequest: files,
        s3Put: files,
        s3Get: files,
      }
    },
  },
  {
    item: 'Sweeper, canary, schedules',
    of: 'every minute, every five minutes',
    quantities: () => ({
      lambdaCompute:
        sweeperRuns * sweeperSeconds * lambdaGb.sweeper + canary.runsPerMonth * canary.seconds * lambdaGb.canary,
      lambdaRequest: sweeperRuns + canary.runsPerMonth,
      scheduledRun: sweeperRuns + canary.runsPerMonth,
    }),
  },
  {
    item: 'SQS',
    of: 'messages, and polls of empty queues',
    quantities: ({ documents }) => ({ sqsRequest: documents * sqsRequestsPerDocument + emptyReceives }),
  },
  { item: 'Logs', of: 'invocations', quantities: (use) => ({ logs: invocations(use) * logBytes }) },
  {
    item: 'Metrics, alarms, dashboard',
    of: 'those of the template',
    quantities: (_, { metrics, alarmMetrics, dashboards }) => ({
      metric: metrics,
      alarmMetric: alarmMetrics,
      dashboard: dashboards,
    }),
  },
  {
    item: 'Traces',
    of: 'one request a second, and 5 % of the others',
    quantities: (use) => {
      const first = Math.min(invocations(use), secondsPerMonth)
      return { trace: first + 0.05 * (invocations(use) - first) }
    },
  },
  {
    item: 'Secrets, key of the alarms',
    of: 'those of the template',
    quantities: (_, { secrets, keys }) => ({ secret: secrets, key: keys }),
  },
  {
    item: 'Out of AWS',
    of: 'responses, texts for the provider',
    quantities: (use) => ({
      egress:
        use.searches * search.responseBytes +
        otherRequests(use) * request.responseBytes +
        newSearches(use) * search.providerRequestBytes +
        use.documents * document.tokens * 4,
    }),
  },
  {
    item: 'Embeddings',
    of: 'documents, and questions that are new',
    quantities: (use) => ({ token: use.documents * document.tokens + newSearches(use) * search.tokens }),
  },
  {
    item: 'Neon: compute',
    of: 'units on average',
    quantities: ({ computeUnits }) => ({ neonCompute: computeUnits * hoursPerMonth }),
  },
  {
    item: 'Neon: storage',
    of: 'documents kept, vectors of questions for 30 days',
    quantities: (use) => ({
      neonStorage: use.documentsKept * document.bytes + newSearches(use) * search.vectorBytes,
    }),
  },
  {
    item: 'Neon: history',
    of: `${historyDays} days of what is written`,
    quantities: (use) => {
      const written = use.documents * document.bytes * document.writesPerByte + newSearches(use) * search.vectorBytes
      return { neonHistory: (written * historyDays * 24) / hoursPerMonth }
    },
  },
  {
    item: 'Out of Neon: the Lambdas and a backup every night',
    of: 'rows, and all chunks × 30, past 100 GB',
    quantities: (use) => {
      const rowsRead = use.searches * search.rowBytes + otherRequests(use) * request.rowBytes
      const dumps = use.documentsKept * document.chunks * backup.bytesReadPerChunk * backup.nights
      return { neonEgress: Math.max(0, rowsRead + dumps - freeNeonEgress) }
    },
  },
  {
    item: 'S3: files, backups of 35 days',
    of: 'bytes kept',
    quantities: ({ documentsKept }) => ({
      s3Storage:
        documentsKept * document.fileShare * document.fileBytes +
        documentsKept * document.chunks * backup.bytesKeptPerChunk * backup.daysKept,
    }),
  },
  { item: 'NAT, VPC, load balancers, CodeDeploy for Lambda', of: 'none, or free', quantities: () => ({}) },
]

/** US dollars a month. */
export function costOf(row: Row, use: Use, resources: Resources): number {
  const quantities = Object.entries(row.quantities(use, resources)) as [keyof typeof prices, number][]
  return quantities.reduce((sum, [name, quantity]) => {
    const { usd, each = 1 }: Price = prices[name]
    return sum + (quantity / each) * usd
  }, 0)
}
