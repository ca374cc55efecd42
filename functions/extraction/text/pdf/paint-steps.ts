export type Matrix = readonly [number, number, number, number, number, number]
export type OperatorList = { fnArray: readonly number[]; argsArray: readonly unknown[] }

export interface PaintStep {
  operator: number
  parameters: unknown
  /** Maps the operator's coordinates to points on the page as shown. */
  matrix: Matrix
}

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
