/** Milliseconds that the embedding provider takes for a call. */
export type Pace = number | 'hang'

/** When all is well. */
export const usualPace: Pace = 30
