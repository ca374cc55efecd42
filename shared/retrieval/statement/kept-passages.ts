import { BoundedMap } from '../../bounded-map.ts'
import type { AgentScope } from '../../database/scope.ts'
import { nameOf as passageName } from '../found.ts'
import type { Place } from '../index/agent-index.ts'
import type { PassageRow } from './read-agent.ts'

/** Most agents have fewer. */
const maxKept = 2000
const maxCharacters = 8000

/** The texts that this instance has read lately. A document's version moves with all that a text and its source depend on. */
const kept = new BoundedMap<string, PassageRow>(maxKept)

export function keptPassage(scope: AgentScope, place: Place): PassageRow | undefined {
  return kept.get(nameOf(scope, place))
}

/** @param places those of the passages, among others */
export function keepPassages(
  scope: AgentScope,
  places: readonly Place[],
  passages: readonly (PassageRow | null | undefined)[],
): void {
  const read = new Map(
    passages.flatMap((each) => (each ? [[passageName(each.document_id, each.chunk_index), each]] : [])),
  )
  for (const place of places) {
    const passage = read.get(passageName(place.document.documentId, place.index))
    if (passage && passage.content.length <= maxCharacters) kept.set(nameOf(scope, place), passage)
  }
}

/** Forgets all: in a database that was restored, a document may have another text at the same version. */
export function forgetPassages(): void {
  kept.clear()
}

function nameOf({ organizationId }: AgentScope, { document: { documentId, version }, index }: Place): string {
  return `${organizationId} ${documentId} ${version} ${index}`
}
