import { sharedSynthesis } from '../aws/aws-template.ts'

/** Has the tests load every Lambda from what is deployed for it. */
export default async function setup(): Promise<void> {
  process.env.CUECARD_BUNDLES = (await sharedSynthesis()).bundles()
}
