import type { Database } from '../../shared/database/database.ts'
import type { RevisionClaim } from './claim.ts'
import type { RevisionPlan } from './revision-plan.ts'
import { type Embedded, type Part, storePart } from './stored-chunks.ts'

export const textsPerPart = 100

/** Stores a revision part by part, as its vectors come. A single small part is stored with the completion, in one round trip. */
export function revisionStore(db: Database, claim: RevisionClaim, plan: RevisionPlan) {
  const { stale, reused, missing } = plan
  let prepared: Promise<boolean> | undefined
  let onlyPart: Embedded[] = []
  let isFirst = true

  function storeNext(part: Omit<Part, 'claim' | 'plan'>): Promise<boolean> {
    const stored = storePart(db, { claim, plan, isFirst, ...part })
    isFirst = false
    return stored
  }

  /** Must run before any other part, whose chunks may have the indexes of stale ones. */
  function prepare(): Promise<boolean> {
    const isNeeded = stale.length + reused.length > 0
    prepared ??= isNeeded ? storeNext({ stale, reused }) : Promise.resolve(true)
    return prepared
  }

  return {
    async store(embedded: Embedded[]): Promise<boolean> {
      if (embedded.length === missing.length && embedded.length <= textsPerPart) {
        onlyPart = embedded
        return true
      }
      if (!(await prepare())) return false
      for (let from = 0; from < embedded.length; from += textsPerPart) {
        const part = embedded.slice(from, from + textsPerPart)
        if (!(await storeNext({ embedded: part }))) return false
      }
      return true
    },

    lastPart(): Part {
      return { claim, plan, ...(!prepared && { stale, reused, embedded: onlyPart }) }
    },
  }
}
