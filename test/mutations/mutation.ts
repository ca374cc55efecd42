/** A safeguard, and what the source says where it is taken out. */
export interface Mutation {
  safeguard: string
  file: string
  find: string
  replace: string
  /** Where to look for the test that turns red. */
  tests: string[]
  /** Seen only where statements truly run at the same time: on the server of DATABASE_URL. */
  needsServer?: boolean
}
