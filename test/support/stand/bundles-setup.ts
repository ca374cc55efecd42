import { sharedSynthesis } from '../aws/aws-template.ts'

/** Makes the tests load every Lambda from its deployed bundle. */
export default async function setup(): Promise<void> {
  process.env.CUECARD_BUNDLES = (await sharedSynthesis()).bundles()
}
