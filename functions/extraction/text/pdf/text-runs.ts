import { type Matrix, type OperatorList, paintSteps, product } from './paint-steps.ts'

type Glyph = { unicode?: string }

const upright: Matrix = [1, 0, 0, 1, 0, 0]

/** The places to which text moves without a space, such as from cell to cell; in points on the page as shown. */
export function placedRuns(
  list: OperatorList,
  operators: Record<string, number>,
  viewport: Matrix,
): { x: number; y: number }[] {
  const runs: { x: number; y: number }[] = []
  let line: Matrix = upright
  let isPlaced = false
  let endsInSpace = true
  let [shown, spaces] = [0, 0]
  for (const { operator, parameters, matrix } of paintSteps(list, operators, viewport)) {
    if (operator === operators.beginText) line = upright
    if (operator === operators.setTextMatrix) line = matrixOf(parameters) ?? line
    if (operator === operators.moveText || operator === operators.setLeadingMoveText) line = moved(line, parameters)
    if (operator !== operators.showText) {
      isPlaced ||=
        operator === operators.setTextMatrix || operator === operators.moveText || operator === operators.beginText
      continue
    }
    const glyphs = glyphsOf(parameters)
    if (glyphs.length === 0) continue
    shown += glyphs.length
    spaces += glyphs.filter(isSpace).length
    const [, , , , x, y] = product(matrix, line)
    if (isPlaced && !endsInSpace && !isSpace(glyphs[0])) runs.push({ x, y })
    endsInSpace = isSpace(glyphs.at(-1))
    isPlaced = false
  }
  // TeX writes no spaces: there, moved text may be the next word.
  return spaces > 0.01 * shown || shown < 200 ? runs : []
}

function matrixOf(parameters: unknown): Matrix | undefined {
  const [first] = Array.isArray(parameters) ? parameters : []
  const values = typeof first === 'number' ? parameters : first
  return Array.isArray(values) || ArrayBuffer.isView(values)
    ? (Array.from(values as ArrayLike<number>) as unknown as Matrix)
    : undefined
}

function moved(line: Matrix, parameters: unknown): Matrix {
  const [x, y] = parameters as [number, number]
  return product(line, [1, 0, 0, 1, x, y])
}

function glyphsOf(parameters: unknown): Glyph[] {
  const [shown] = Array.isArray(parameters) ? parameters : []
  return Array.isArray(shown)
    ? shown.filter((glyph): glyph is Glyph => typeof glyph === 'object' && glyph !== null)
    : []
}

function isSpace(glyph: Glyph | undefined): boolean {
  return !glyph?.unicode?.trim()
}
