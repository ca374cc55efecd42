import { inTransaction } from './steps.ts'

export const steps = [
  inTransaction(`grant insert (organization_id, id, name), update (name) on agents to cuecard_dashboard`),
]
