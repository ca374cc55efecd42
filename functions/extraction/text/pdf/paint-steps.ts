import { type Matrix, product } from './page-content.ts'

export type OperatorList = { fnArray: readonly number[]; argsArray: readonly unknown[] }

export interface PaintStep {
  operator: number
  parameters: unknown
  /** from the operator's coordinates to points on the page as it is shown */
  matrix: Matrix
}

/** What a page paints, in order. */
export function* paintSteps(
  list: OperatorList,
  operators: Record<string, number>,
  viewport: Matrix,
): Generator<PaintStep> {
  const { save, restore, transform, paintFormXObjectBegin, paintFormXObjectEnd } = operators
  const stack: Matrix[] = []
  let matrix = viewport
  for (const [index, operator] of list.fnArray.entries()) {
    const parameters = list.argsArray[index]
    if (operator === save || operator === paintFormXObjectBegin) stack.push(matrix)
    if (operator === restore || operator === paintFormXObjectEnd) matrix = stack.pop() ?? viewport
    if (operator === transform) matrix = product(matrix, parameters as Matrix)
    if (operator === paintFormXObjectBegin) matrix = withForm(matrix, parameters)
    yield { operator, parameters, matrix }
  }
}

function withForm(matrix: Matrix, parameters: unknown): Matrix {
  const form = Array.isArray(parameters) ? parameters[0] : undefined
  return Array.isArray(form) && form.length === 6 ? product(matrix, form as unknown as Matrix) : matrix
}
