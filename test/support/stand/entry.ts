import { join } from 'node:path'
import { sourceOf } from '../../../infra/local/functions.ts'
import type { LambdaName } from '../../../infra/wiring.ts'

/** The module of a Lambda that the tests load: its source, or its bundle under the directory that CUECARD_BUNDLES names. */
export function entryOf(name: LambdaName): string {
  const { CUECARD_BUNDLES } = process.env
  return CUECARD_BUNDLES ? join(CUECARD_BUNDLES, name, 'handler.mjs') : sourceOf(name)
}
