/** The maximum of rows of each kind per sweep. */
export const maxPerSweep = 1000
