export type Matrix = readonly [number, number, number, number, number, number]
export type OperatorList = { fnArray: readonly number[]; argsArray: readonly unknown[] }

/** A rectangle in points on the page as shown. */
export type Box = { x0: number; y0: number; x1: number; y1: number }

/** The graphics state (ISO 32000-2, 8.4). Some keys are those that PDF.js gives for parameter dictionaries. */
const initial = {
  /** The name and size of the font. */
  Font: ['', 0] as [string, number],
  /** `#rrggbb`, or another text for a pattern. */
  fill: '#000000',
  stroke: '#000000',
  ca: 1,
  CA: 1,
  BM: 'source-over',
  SMask: false,
  /** The opacity of the groups around. */
  opacity: 1,
  lineWidth: 1,
  charSpacing: 0,
  wordSpacing: 0,
  /** The horizontal scale of the letters, in percent. */
  stretch: 100,
  leading: 0,
  rise: 0,
  mode: 0,
  isSoftMask: false,
  clip: undefined as Box | undefined,
  hasRoundClip: false,
}
export type GraphicsState = typeof initial & {
  /** Maps the operator's coordinates to points on the page as shown. */
  matrix: Matrix
}

export interface PaintStep {
  operator: number
  parameters: unknown
  matrix: Matrix
  state: GraphicsState
}

const settings = {
  setFillRGBColor: 'fill',
  setFillColorN: 'fill',
  setStrokeRGBColor: 'stroke',
  setStrokeColorN: 'stroke',
  setCharSpacing: 'charSpacing',
  setWordSpacing: 'wordSpacing',
  setHScale: 'stretch',
  setLeading: 'leading',
  setTextRise: 'rise',
  setTextRenderingMode: 'mode',
  setLineWidth: 'lineWidth',
} as const

/** The operators of a page, then those of its annotations, each between `beginAnnotation` and `endAnnotation`. */
export function* paintSteps(
  list: OperatorList,
  operators: Record<string, number>,
  viewport: Matrix,
): Generator<PaintStep> {
  const { save, restore, transform, setFont, setGState, beginGroup, endGroup } = operators
  const { paintFormXObjectBegin, paintFormXObjectEnd, beginAnnotation, endAnnotation } = operators
  const begins = new Set([save, paintFormXObjectBegin, beginAnnotation, beginGroup])
  const ends = new Set([restore, paintFormXObjectEnd, endAnnotation, endGroup])
  const keys = new Map(Object.entries(settings).map(([name, key]) => [operators[name], key]))
  const stack: GraphicsState[] = []
  let state: GraphicsState = { ...initial, matrix: viewport }
  for (const [index, operator] of list.fnArray.entries()) {
    const parameters = list.argsArray[index]
    const [first, second, third, fourth] = Array.isArray(parameters) ? parameters : []
    if (begins.has(operator)) {
      stack.push(state)
      state = { ...(operator === beginAnnotation ? { ...initial, matrix: viewport } : state) }
    }
    if (ends.has(operator)) state = stack.pop() ?? { ...initial, matrix: viewport }
    if (operator === transform) state.matrix = product(state.matrix, matrixOf(parameters))
    if (operator === paintFormXObjectBegin) state.matrix = product(state.matrix, matrixOf(first))
    if (operator === beginAnnotation) state.matrix = product(product(viewport, matrixOf(third)), matrixOf(fourth))
    if (operator === setFont) state.Font = [String(first), Number(second)]
    if (operator === setGState) Object.assign(state, Object.fromEntries(first))
    if (operator === beginGroup) {
      state.opacity *= state.BM === 'source-over' && !state.SMask ? state.ca : 0.9 * state.ca
      state.isSoftMask ||= Boolean(first?.smask)
    }
    const key = keys.get(operator)
    if (key) Object.assign(state, { [key]: first })
    yield { operator, parameters, matrix: state.matrix, state }
  }
}

/** The matrix of six numbers, in an array or a typed array. */
export function matrixOf(values: unknown): Matrix {
  const numbers = Array.isArray(values) || ArrayBuffer.isView(values) ? Array.from(values as ArrayLike<number>) : []
  return numbers.length === 6 && numbers.every(Number.isFinite) ? (numbers as unknown as Matrix) : [1, 0, 0, 1, 0, 0]
}

/** The box on the page around a rectangle, whose opposite corners are given. */
export function boxOf(corners: ArrayLike<number>, matrix: Matrix): Box {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(corners)
  const points = [
    [x0, y0],
    [x1, y0],
    [x0, y1],
    [x1, y1],
  ].map(([x, y]) => product(matrix, [0, 0, 0, 0, x!, y!]))
  const [xs, ys] = [points.map((point) => point[4]), points.map((point) => point[5])]
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) }
}

export function product(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ]
}
