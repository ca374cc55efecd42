import type { AgentScope } from '../../database/scope.ts'
import type { DocumentId } from '../../ids.ts'
import { keywordQuery } from '../keyword/keyword-query.ts'
import type { QueryVectorKey } from '../query-vector/query-vectors.ts'
import type { Mode } from '../schemas.ts'
import { keywordParameters } from './keyword-arm.ts'
import { type Filters, filterParameters } from './searched-chunks.ts'
import { type Traits, vectorParameters } from './semantic-arm.ts'

export interface Question {
  mode: Mode
  query?: string | undefined
  vector?: ArrayLike<number> | undefined
  /** The key by which the statement may find the vector, if there is none here. */
  storedVector?: QueryVectorKey | undefined
}

export type SearchParameters = ReturnType<typeof searchParameters> & Traits

export function searchParameters(
  scope: AgentScope,
  { mode, query, vector, storedVector }: Question,
  filters: Filters,
  examined?: DocumentId,
) {
  const keywords = mode !== 'semantic' && query !== undefined ? keywordQuery(query) : undefined
  const isSemantic = mode !== 'keyword'
  return {
    ...filterParameters(scope, filters, examined),
    ...(isSemantic ? vectorParameters(vector, storedVector) : vectorParameters(undefined)),
    ...keywordParameters(keywords),
    isHybrid: mode === 'hybrid',
    isSemantic,
    /** Whether anybody reads what cosines mean: not in a search by a vector only. */
    isJudged: isSemantic && query !== undefined,
    isKeyword: keywords !== undefined,
    minScore: filters.min_score,
  }
}
