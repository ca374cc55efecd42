import { type Matrix, type OperatorList, paintSteps } from './paint-steps.ts'

/** A drawn line or edge: `at` is its y if it is level, else its x. */
export type Ruling = { level: boolean; at: number; from: number; to: number }

const maxRulings = 20_000
const minLength = 4
/** The largest thickness, in points, of a filled rectangle that counts as a line. */
const maxThickness = 3

/** The horizontal and vertical lines of a page; none if it has so many that it is a drawing. */
export function rulingsOf(list: OperatorList, operators: Record<string, number>, viewport: Matrix): Ruling[] {
  const rulings: Ruling[] = []
  for (const { operator, parameters, matrix } of paintSteps(list, operators, viewport)) {
    if (operator === operators.constructPath && isPainted(parameters, operators)) addPath(rulings, matrix, parameters)
    if (rulings.length > maxRulings) return []
    if (operator === operators.beginAnnotation) break
  }
  return rulings
}

/** The ruling of a page whose `x` counts from its right side. */
export function mirrored({ level, at, from, to }: Ruling, width: number): Ruling {
  return level ? { level, at, from: width - to, to: width - from } : { level, at: width - at, from, to }
}

function isPainted(parameters: unknown, operators: Record<string, number>): boolean {
  return Array.isArray(parameters) && parameters[0] !== operators.endPath && parameters[0] !== operators.clip
}

/** `[operator, [path]]`: 0 x y moves, 1 x y draws a line, 2 and 3 curves, 4 closes. */
function addPath(rulings: Ruling[], matrix: Matrix, parameters: unknown): void {
  const path = (parameters as [number, [Float32Array | null]])[1]?.[0]
  if (!path) return
  let [startX, startY, x, y] = [0, 0, 0, 0]
  for (let at = 0; at < path.length && rulings.length <= maxRulings; ) {
    const step = path[at++]
    if (step === 0) [startX, startY] = [x, y] = [path[at++]!, path[at++]!]
    else if (step === 1) {
      const [toX, toY] = [path[at++]!, path[at++]!]
      addLine(rulings, matrix, x, y, toX, toY)
      ;[x, y] = [toX, toY]
    } else if (step === 2 || step === 3) {
      at += step === 2 ? 6 : 4
      ;[x, y] = [path[at - 2]!, path[at - 1]!]
    } else if (step === 4) {
      addLine(rulings, matrix, x, y, startX, startY)
      ;[x, y] = [startX, startY]
    } else return
  }
}

function addLine(rulings: Ruling[], m: Matrix, x0: number, y0: number, x1: number, y1: number): void {
  const [fromX, fromY] = [m[0] * x0 + m[2] * y0 + m[4], m[1] * x0 + m[3] * y0 + m[5]]
  const [toX, toY] = [m[0] * x1 + m[2] * y1 + m[4], m[1] * x1 + m[3] * y1 + m[5]]
  const [across, down] = [Math.abs(toX - fromX), Math.abs(toY - fromY)]
  if (across >= minLength && down < maxThickness / 3)
    rulings.push({ level: true, at: (fromY + toY) / 2, from: Math.min(fromX, toX), to: Math.max(fromX, toX) })
  else if (down >= minLength && across < maxThickness / 3)
    rulings.push({ level: false, at: (fromX + toX) / 2, from: Math.min(fromY, toY), to: Math.max(fromY, toY) })
}
