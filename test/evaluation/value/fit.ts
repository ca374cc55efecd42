import { join } from 'node:path'
import { chunk } from '../../../shared/chunking/chunker.ts'
import { type HitTable, tablesIn } from '../../../shared/retrieval/value/tables.ts'
import { bestCell, type Features, probability } from '../../../shared/retrieval/value/value.ts'
import { businessQuestions, isLookUp, isRightCell, type TableQuestion, tableQuestions } from './sets.ts'

/** A wrong spoken value does more harm than a missing right one. */
const wrongWeight = 4
const ridge = 1e-3
const steps = 1500

interface Sample {
  features: Features
  isRight: boolean
  weight: number
}

/** Fits the confidence of values to known tables, and prints the weights. @param folder has public tables */
export function fitValues(folder: string): void {
  const here = import.meta.dirname
  const sets = {
    'hand-made, to tune on': tableQuestions(join(here, 'tuning')),
    businesses: businessQuestions(join(here, '../set')),
    'public tables': tableQuestions(folder),
  }
  const samples = Object.values(sets).map(samplesOf)
  const weights = fitted(samples.flatMap((all) => all.map((each) => ({ ...each, weight: each.weight / all.length }))))
  console.log(JSON.stringify(weights))
  for (const [i, name] of Object.keys(sets).entries())
    console.log(name, figuresOf(samples[i]!, weights, Object.values(sets)[i]!.length))
  const lookUps = sets['public tables'].filter(isLookUp)
  console.log('public, one look-up', figuresOf(samplesOf(lookUps), weights, lookUps.length))
}

function samplesOf(questions: readonly TableQuestion[]): Sample[] {
  return questions.flatMap(({ question, document, answer }) => {
    const found = bestCell(question, hitsOf(document).flatMap(tablesIn))
    if (!found) return []
    const isRight = isRightCell(found.cell, answer, found.cell.table)
    return [{ features: found.features, isRight, weight: isRight ? 1 : wrongWeight }]
  })
}

function hitsOf({ title, content }: TableQuestion['document']): HitTable['hit'][] {
  return chunk(content).map(({ content, metadata }, i) => ({
    ...{ chunk_id: String(i), document_title: title, content },
    metadata: { ...metadata },
  }))
}

/** The weights that gradient descent finds for the weighted log loss. */
function fitted(samples: readonly Sample[]): Features {
  const weights = Object.fromEntries(Object.keys(samples[0]!.features).map((name) => [name, 0])) as unknown as Features
  const names = Object.keys(weights) as (keyof Features)[]
  const total = samples.reduce((sum, { weight }) => sum + weight, 0)
  for (let step = 0; step < steps; step++) {
    const gradient = Object.fromEntries(names.map((name) => [name, ridge * weights[name]])) as Features
    for (const { features, isRight, weight } of samples) {
      const error = ((probability(weights, features) - (isRight ? 1 : 0)) * weight) / total
      for (const name of names) gradient[name] += error * features[name]
    }
    for (const name of names) weights[name] -= 3 * gradient[name]
  }
  return Object.fromEntries(names.map((name) => [name, Number(weights[name].toFixed(1))])) as unknown as Features
}

function figuresOf(samples: readonly Sample[], weights: Features, questions: number): string {
  const said = samples.filter(({ features }) => probability(weights, features) >= 0.5)
  const right = said.filter(({ isRight }) => isRight).length
  const exact = samples.filter(({ isRight }) => isRight).length
  return `${questions} questions: ${exact} best cells right; ${said.length} at 0.5, of which ${right} (${(right / said.length).toFixed(2)}) right`
}
