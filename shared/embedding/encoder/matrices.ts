import { addTileIn, newMemory, tileColumns, tileRows } from './matrix-kernel.ts'

/** Numbers in the memory: where its first row begins, and how far its rows are apart. */
export interface Matrix {
  at: number
  stride: number
}

const { BYTES_PER_ELEMENT } = Float32Array

/** A memory of so many floats, with fast products. Rows beyond a matrix's last, up to a multiple of `tileRows`, may be overwritten. */
export function matrices(size: number) {
  const memory = newMemory(size * BYTES_PER_ELEMENT)
  const floats = new Float32Array(memory.buffer)
  const addTile = addTileIn(memory)
  let allocated = 0

  return {
    floats,

    allocate(rows: number, stride: number): Matrix {
      const at = allocated
      allocated += rows * stride
      return { at, stride }
    },

    /** Writes columns as panels, as `addProduct` reads them. @param get the number in a row and column; 0 beyond the last column */
    pack(to: number, rows: number, columns: number, get: (row: number, column: number) => number): void {
      let at = to
      for (let panel = 0; panel < columns; panel += tileColumns)
        for (let row = 0; row < rows; row++)
          for (let column = panel; column < panel + tileColumns; column++)
            floats[at++] = column < columns ? get(row, column) : 0
    },

    /** C += A · B. @param b where B's panels begin @param depth the columns of A, and the rows of B */
    addProduct(a: Matrix, b: number, c: Matrix, rows: number, depth: number, columns: number): void {
      for (let column = 0; column < columns; column += tileColumns)
        for (let row = 0; row < rows; row += tileRows)
          addTile(
            (a.at + row * a.stride) * BYTES_PER_ELEMENT,
            (b + column * depth) * BYTES_PER_ELEMENT,
            (c.at + row * c.stride + column) * BYTES_PER_ELEMENT,
            depth,
            a.stride * BYTES_PER_ELEMENT,
            c.stride * BYTES_PER_ELEMENT,
          )
    },
  }
}
