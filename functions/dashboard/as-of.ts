import * as v from 'valibot'
import { time } from '../../shared/http/input/time.ts'
import type { AgentRow } from '../../shared/organizations/agents.ts'
import { timeZoneOf } from '../../shared/organizations/time-zone.ts'
import { daysOfCall } from '../../shared/retrieval/dates/dated.ts'

/** The moment at which a question was asked if it names days, which mean others later; else null. */
export function asOfDays(
  { question, history = [], at }: { question: string; history?: readonly string[]; at: string | undefined },
  agent: Pick<AgentRow, 'time_zone' | 'holidays'>,
): string | null {
  const asked = v.safeParse(time, at)
  if (!asked.success) return null
  const place = { timeZone: timeZoneOf(agent), holidays: agent.holidays }
  return daysOfCall(question, history, { at: new Date(asked.output), place }).length > 0 ? asked.output : null
}
