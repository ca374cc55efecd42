/** What a stand under test is told by its test, from within its own process. */
export interface Orders {
  /** Connections to these ports are reset after a random number of bytes, both directions together. */
  cut?: { ports: number[]; meanBytes: number; seed: number }
  /** Nobody answers there: connections are refused, and those that are open are reset. */
  away?: number[]
  /** Of the wall clock, in milliseconds. */
  clockShift?: number
}
