import { type Box, boxOf, type GraphicsState, type PaintStep } from './paint-steps.ts'

/** A page that paints more is a drawing, all of whose text counts as seen. */
const maxAreas = 2_000
/** The least opacity, the least difference of a colour from its ground, of 255, and the least width of a line that is a ground. */
const [minAlpha, minContrast, minLine] = [0.05, 16, 4]

/** Follows the colours that a page paints, to say which text is seen. What is not sure counts as seen. */
export class Ink {
  /** The share of the page that pictures cover. */
  pictured = 0
  readonly page: Box
  readonly #operators: Record<string, number>
  /** What is painted, with its colour if that is the same everywhere, unlike that of pictures and round shapes. */
  readonly #areas: (Box & { colour: string | undefined })[] = []
  #clips = false

  constructor(operators: Record<string, number>, { width, height }: { width: number; height: number }) {
    this.#operators = operators
    this.page = { x0: 0, y0: 0, x1: width, y1: height }
  }

  take({ operator, parameters, matrix, state }: PaintStep): void {
    const codes = this.#operators
    const [first, second, third] = Array.isArray(parameters) ? parameters : []
    switch (operator) {
      case codes.clip:
      case codes.eoClip:
        this.#clips = true
        break
      case codes.paintFormXObjectBegin:
        if (second) state.clip = intersection(boxOf(second, matrix), state.clip)
        break
      case codes.constructPath:
        if (third) this.#takePath(first, boxOf(third, matrix), isRectangle(second[0], third, matrix), state)
        break
      case codes.paintImageXObject:
      case codes.paintImageMaskXObject:
      case codes.paintInlineImageXObject: {
        const { x0, y0, x1, y1 } = this.#paint(boxOf([0, 0, 1, 1], matrix), state)
        this.pictured += Math.max(0, (x1 - x0) * (y1 - y0)) / (this.page.x1 * this.page.y1)
        break
      }
      case codes.shadingFill:
      case codes.paintImageXObjectRepeat:
      case codes.paintImageMaskXObjectRepeat:
      case codes.paintImageMaskXObjectGroup:
      case codes.paintInlineImageXObjectGroup:
      case codes.paintSolidColorImageMask:
        this.#paint(this.page, state)
    }
  }

  /** Whether text that is painted at this point is seen. */
  shows({ mode, fill, stroke, ca, CA, opacity }: GraphicsState, x: number, y: number): boolean {
    const [isStroked, isFilled] = [mode % 4 === 1 || mode % 4 === 2, mode % 4 !== 1 && mode !== 3]
    const inks = [
      ...(isFilled && ca * opacity > minAlpha ? [fill] : []),
      ...(isStroked && CA * opacity > minAlpha ? [stroke] : []),
    ]
    const ground = this.#areas.findLast((area) => x >= area.x0 && x <= area.x1 && y >= area.y0 && y <= area.y1)
    if (this.#areas.length >= maxAreas || (ground && !ground.colour)) return inks.length > 0
    return inks.some((ink) => !(contrast(ink, ground?.colour ?? '#ffffff') < minContrast))
  }

  #takePath(operator: number, box: Box, isLevel: boolean, state: GraphicsState): void {
    const { fill, eoFill, stroke, closeStroke, endPath } = this.#operators
    const half = (state.lineWidth * Math.hypot(state.matrix[0], state.matrix[1])) / 2
    const { x0, y0, x1, y1 } = box
    if (operator === fill || operator === eoFill) this.#paint(box, state, isLevel)
    else if (operator !== stroke && operator !== closeStroke && operator !== endPath) this.#paint(box, state)
    else if (operator !== endPath && 2 * half >= minLine)
      this.#paint({ x0: x0 - half, y0: y0 - half, x1: x1 + half, y1: y1 + half }, state)
    if (this.#clips) state.clip = intersection(box, state.clip)
    if (this.#clips) state.hasRoundClip ||= !isLevel
    this.#clips = false
  }

  #paint(whole: Box, state: GraphicsState, isEven = false): Box {
    const { fill, ca, opacity, BM, SMask, hasRoundClip, clip } = state
    const isSure = isEven && ca * opacity === 1 && BM === 'source-over' && !SMask && !hasRoundClip
    const box = intersection(whole, clip)
    if (this.#areas.length < maxAreas) this.#areas.push({ ...box, colour: isSure ? fill : undefined })
    return box
  }
}

/** True for a path of one rectangle, which PDF.js writes as a move, three lines and a close, each after its code. */
function isRectangle(path: ArrayLike<number>, bounds: ArrayLike<number>, [a, b, c, d]: readonly number[]): boolean {
  const points = [1, 4, 7, 10].map((at) => [path[at], path[at + 1]])
  const areCorners = points.every(
    ([x, y]) => (x === bounds[0] || x === bounds[2]) && (y === bounds[1] || y === bounds[3]),
  )
  return path.length === 13 && areCorners && ((b === 0 && c === 0) || (a === 0 && d === 0))
}

function intersection(one: Box, other: Box = one): Box {
  const [x0, y0] = [Math.max(one.x0, other.x0), Math.max(one.y0, other.y0)]
  return { x0, y0, x1: Math.min(one.x1, other.x1), y1: Math.min(one.y1, other.y1) }
}

/** The largest difference of red, green or blue; not a number for patterns. */
function contrast(one: string, other: string): number {
  const differences = [1, 3, 5].map((at) =>
    Math.abs(Number.parseInt(one.slice(at, at + 2), 16) - Number.parseInt(other.slice(at, at + 2), 16)),
  )
  return Math.max(...differences)
}
