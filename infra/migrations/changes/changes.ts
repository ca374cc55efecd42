import type { Step } from '../steps.ts'

/** The changes to tables since the first stage, in order. README.md says how to write one. */
export const changes: Readonly<Record<string, readonly Step[]>> = {}
