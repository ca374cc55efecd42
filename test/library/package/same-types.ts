// The types of the package are those of the schemas.
import type * as packed from 'cuecard'
import type * as source from '../../../infra/library/open-agent.ts'

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

export const same: [
  Same<packed.SearchBody, source.SearchBody>,
  Same<packed.PrefetchBody, source.PrefetchBody>,
  Same<packed.SearchAnswer, source.SearchAnswer>,
  typeof source.openAgent extends typeof packed.openAgent ? true : false,
  InstanceType<typeof source.CuecardError> extends packed.CuecardError ? true : false,
] = [true, true, true, true, true]
