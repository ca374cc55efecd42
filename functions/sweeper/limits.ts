/** Documents of each kind that one sweep takes on: bounds its time, its locks and what it adds to the queue. */
export const maxPerSweep = 1000
