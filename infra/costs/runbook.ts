const [start, end] = ['<!-- costs: npm run costs -->\n', '\n<!-- end of costs -->']

/** The runbook with these tables between its marks. @throws Error when it has no marks */
export function replaceCosts(runbook: string, tables: string): string {
  const from = runbook.indexOf(start)
  const to = runbook.indexOf(end)
  if (from === -1 || to === -1) throw new Error('infra/README.md has no marks of the costs')
  return runbook.slice(0, from + start.length) + tables + runbook.slice(to)
}
