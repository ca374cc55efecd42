/** Documents of each kind per sweep: bounds its time, its locks and what it adds to the queue. */
export const maxPerSweep = 1000
