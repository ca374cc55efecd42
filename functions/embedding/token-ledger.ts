import type { Database, Rider } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { releaseTokens, reserveTokens, spentTokens } from '../../shared/limits/tokens.ts'

/** More than all workers may have in flight, and so unknown to each other: ten Lambdas with four calls of 290,000 tokens. */
const plenty = 12_000_000

/** What the documents of one delivery spend of the tokens that an organization may have embedded a day. */
export interface TokenLedger {
  /** @param left as a claim has found them */
  open(left: number): void
  /** Before a call of the provider. @throws TokensUsedUp */
  reserve(tokens: number): Promise<void>
  /** After a call that has failed, which nobody charges for. */
  release(tokens: number): Promise<void>
  rider: Rider
}

/** While there is plenty, what is spent goes along with the statements that store it; then it is reserved by one of its own. */
export function tokenLedger(db: Database, organizationId: OrganizationId): TokenLedger {
  let left = 0
  let untold = 0
  return {
    open(found) {
      left = found - untold
    },
    async reserve(tokens) {
      if (left <= plenty) return await reserveTokens(db, organizationId, tokens)
      left -= tokens
      untold += tokens
    },
    async release(tokens) {
      if (untold < tokens) return await releaseTokens(db, organizationId, tokens)
      left += tokens
      untold -= tokens
    },
    rider: {
      board() {
        const told = untold
        if (told === 0) return undefined
        untold = 0
        return {
          statement: spentTokens(organizationId, told),
          arrived([row]) {
            // Others have spent too.
            if (row) left = Number((row as { left: string }).left) - untold
          },
          lost() {
            untold += told
          },
        }
      },
    },
  }
}
