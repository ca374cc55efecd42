import { type Use, uses } from './assumptions.ts'
import { costOf, rows } from './costs.ts'
import { type Price, prices } from './prices.ts'
import type { Resources } from './resources.ts'

/** The part of the runbook between its two marks, as Markdown. */
export function costTables(resources: Resources): string {
  const { metrics, alarmMetrics, dashboards, secrets, keys } = resources
  return [
    table(
      ['dollars per month', 'of what', ...uses.map(({ name }) => name)],
      [
        ...describeUses(),
        ...rows.map((row) => [row.item, row.of, ...uses.map((use) => money(costOf(row, use, resources)))]),
        ['**total**', '', ...uses.map((use) => `**${money(totalOf(use, resources))}**`)],
        ['a thousand searches', 'total', ...uses.map((use) => money((1000 * totalOf(use, resources)) / use.searches))],
      ],
    ),
    `The template of prod has ${metrics} metrics of our own, ${alarmMetrics} metrics in alarms, ${dashboards} dashboard, ${secrets} secrets and ${keys} key.`,
    table(
      ['price per', 'US dollars', 'source'],
      Object.values<Price>(prices).map(({ per, usd, source }) => [per, `${usd}`, source]),
    ),
  ].join('\n\n')
}

function describeUses(): string[][] {
  const line = (name: string, value: (use: Use) => number) => [name, '', ...uses.map((use) => count(value(use)))]
  return [
    line('_organizations_', ({ organizations }) => organizations),
    line('_documents created or changed_', ({ documents }) => documents),
    line('_documents kept_', ({ documentsKept }) => documentsKept),
    line('_searches by text_', ({ searches }) => searches),
    line('_compute units of Neon, on average_', ({ computeUnits }) => computeUnits),
  ]
}

function totalOf(use: Use, resources: Resources): number {
  return rows.reduce((sum, row) => sum + costOf(row, use, resources), 0)
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}

const money = (usd: number) => usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const count = (number: number) => number.toLocaleString('en-US')
