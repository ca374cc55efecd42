import { synthesize } from './aws-template.ts'

/** Has the tests load every Lambda from what is deployed for it. */
export default async function setup(): Promise<() => void> {
  const synthesis = await synthesize()
  process.env.CUECARD_BUNDLES = synthesis.bundles()
  return () => synthesis.remove()
}
