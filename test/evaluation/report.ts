import { withSection } from '../bench/report/readme.ts'
import type { Answer } from './ask.ts'
import { type Change, type Changes, isWorse } from './changes.ts'
import type { Figures, ModeFigures } from './figures.ts'
import type { Tally } from './metrics.ts'

/** Groups × modes as text: hit@1, hit@5 and MRR; then what each mode's score tells. */
export function toTable(figures: Figures): string {
  const modes = modesOf(figures)
  const lines = [
    ['', 'questions', ...modes.map(([mode]) => `${mode}: hit@1  hit@5    MRR`)],
    ...groupsOf(figures).map(([group, { questions }]) => [
      group,
      String(questions),
      ...modes.map(([, { groups }]) =>
        sharesOf(groups[group]!)
          .map((share) => share.padStart(5))
          .join('  '),
      ),
    ]),
  ]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const table = lines.map((line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   '),
  )
  return [...table, '', ...modes.map(([mode, each]) => `${mode}: ${scoreText(each)}`)].join('\n')
}

/** The changes since the committed figures: figures, then each question with a new rank of the right passage. */
export function toChangesText({ figures, ranks }: Changes, answers: readonly Answer[]): string {
  const asked = new Map(answers.map(({ id, kind, question }) => [id, `${kind ?? 'question'} "${question}"`]))
  const worse = ranks.filter(isWorse)
  const better = ranks.filter((change) => !isWorse(change))
  const moved = ({ mode, name, before, now }: Change<number | null>) =>
    `  ${mode}, ${name}: ${placeText(before)} → ${placeText(now)}, ${asked.get(name)}`
  return [
    ...figures.map(({ mode, name, before, now }) => `  ${mode}, ${name}: ${changeText(before, now)}`),
    ...(worse.length > 0 ? ['Lost:', ...worse.map(moved)] : []),
    ...(better.length > 0 ? ['Won:', ...better.map(moved)] : []),
  ].join('\n')
}

/** Questions with another passage first, and this passage. Questions without an answer that score as if they had one. */
export function toFailures(figures: Figures, answers: readonly Answer[]): string {
  const minScoreOf = new Map(modesOf(figures).map(([mode, { min_score }]) => [mode, min_score?.value ?? 2]))
  const failed = answers.filter(({ mode, expected, rank, first }) =>
    expected ? rank !== 1 : first && first.score >= minScoreOf.get(mode)!,
  )
  return failed
    .map(({ mode, id, kind, question, expected, rank, documentRank, first }) => {
      const document = rank === undefined && documentRank !== undefined ? `, its document ${documentRank}` : ''
      const place = expected ? `right passage ${placeText(rank ?? null)}${document}` : 'has no answer'
      const hit = first ? `${first.score.toFixed(2)} ${first.document_title}: ${onOneLine(first.content)}` : 'nothing'
      return `${mode}, ${kind ? `${kind}, ` : ''}${id}: "${question}"\n    ${place}; first: ${hit}`
    })
    .join('\n')
}

/** The README with its table replaced. @throws Error when it has no place for it */
export function withTable(readme: string, figures: Figures): string {
  return withSection(readme, 'npm run evaluate', toMarkdown(figures))
}

function toMarkdown(figures: Figures): string {
  const modes = modesOf(figures)
  const { answerable, unanswerable } = figures.questions
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    row(['hit@1 · hit@5', 'questions', ...modes.map(([mode]) => `\`${mode}\``)]),
    row(['---', '---', ...modes.map(() => '---')]),
    ...groupsOf(figures).map(([group, { questions }]) =>
      row([
        group.replaceAll('_', ' '),
        String(questions),
        ...modes.map(([, { groups }]) => sharesOf(groups[group]!).slice(0, 2).join(' · ')),
      ]),
    ),
    row([
      'MRR, all answerable',
      String(answerable),
      ...modes.map(([, { groups }]) => two(groups['all answerable']!.mrr)),
    ]),
    row(['AUC of the score, against unanswerable', String(unanswerable), ...modes.map(([, { auc }]) => two(auc))]),
    row([
      '`answerable` at 0.5: right first hits kept · unanswerable, others’ questions rejected',
      '',
      ...modes.map(([, { levels }]) => levelsText(levels)),
    ]),
    row(['Calibration error of `answerable`', '', ...modes.map(([, each]) => two(each.calibration_error))]),
    row([
      '`min_score` to start with: kept · rejected',
      '',
      ...modes.map(([, { min_score }]) =>
        min_score === null ? '–' : `${two(min_score.value)}: ${two(min_score.kept)} · ${two(min_score.rejected)}`,
      ),
    ]),
  ].join('\n')
}

function modesOf({ modes }: Figures): [string, ModeFigures][] {
  return Object.entries(modes)
}

function groupsOf(figures: Figures): [string, Tally][] {
  return Object.entries(modesOf(figures)[0]![1].groups)
}

function sharesOf({ questions, hit1, hit5, mrr }: Tally): string[] {
  return [two(hit1 / questions), two(hit5 / questions), two(mrr)]
}

function scoreText({ auc, calibration_error, levels, min_score }: ModeFigures): string {
  const answered = `answerable at 0.5 (kept · unanswerable, others’ rejected) ${levelsText(levels)}`
  if (auc === null) return `AUC – (it needs questions that no document answers); ${answered}`
  const suggestion =
    min_score === null
      ? 'too few questions for a min_score'
      : `min_score ${two(min_score.value)} keeps ${two(min_score.kept)} of the answerable and rejects ${two(min_score.rejected)} of the others`
  return `AUC ${two(auc)}; ${suggestion}; calibration error of answerable ${two(calibration_error)}; ${answered}`
}

function levelsText({ kept, rejected, foreign }: ModeFigures['levels']): string {
  return `${two(kept)} · ${two(rejected)}, ${two(foreign)}`
}

function two(figure: number | null): string {
  return figure === null ? '–' : figure.toFixed(2)
}

function changeText(before: number, now: number): string {
  const digits = before.toFixed(2) === now.toFixed(2) ? 4 : 2
  return `${before.toFixed(digits)} → ${now.toFixed(digits)}${now < before ? ', fallen' : ''}`
}

function placeText(rank: number | null): string {
  return rank === null ? 'not found' : `at ${rank}`
}

const shownCharacters = 100

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)} …` : line
}
