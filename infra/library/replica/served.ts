import { placeOf } from '../../../functions/mcp/schemas.ts'
import type { Served } from '../../../functions/mcp/served.ts'
import { timeouts } from '../../../functions/mcp/timeouts.ts'
import { dayOf, dayText } from '../../../shared/organizations/time-zone.ts'
import { countChunks } from '../../../shared/retrieval/index/agent-index.ts'
import { whereabouts } from '../../../shared/retrieval/plan.ts'
import { timeouts as timeoutsOfSearch } from '../../../shared/retrieval/timeouts.ts'
import type { OpenAgent } from '../open-agent.ts'
import { chunkIdAt, passagesAt } from '../passages.ts'

/** Together with the time in which a search may go to the service, this is the longest that clients of the protocol wait. */
const deadline_ms = timeouts.deadlineMilliseconds + timeouts.graceMilliseconds - timeoutsOfSearch.graceMilliseconds

/** What the tools of the Model Context Protocol read of an agent in this process. */
export function servedBy(agent: OpenAgent): { served: Served; documentsUrl: string } {
  const served: Served = {
    async answer({ seen = [], ...question }) {
      const knowledge = agent.read({ evenStale: true })
      const given = seen.flatMap((id) => chunkIdAt(knowledge, placeOf(id)!) ?? [])
      const found = await agent.search({ ...question, seen: given, deadline_ms })
      const { timeZone } = whereabouts(knowledge.index.agent)
      return { ...found, today: found.dates.length > 0 ? dayText(dayOf(new Date(), timeZone)) : undefined }
    },
    passagesAt: (place, metadata) => passagesAt(agent.read(), place, metadata),
    isServing: () => countChunks(agent.read({ evenStale: true }).index) > 0,
  }
  return { served, documentsUrl: `${agent.url}/knowledge-base` }
}
