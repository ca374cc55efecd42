export class MinHeap {
  readonly #values: Int32Array
  #size = 0

  constructor(maxSize: number) {
    this.#values = new Int32Array(maxSize)
  }

  push(value: number): void {
    const values = this.#values
    let at = this.#size++
    for (; at > 0 && values[(at - 1) >> 1]! > value; at = (at - 1) >> 1) values[at] = values[(at - 1) >> 1]!
    values[at] = value
  }

  pop(): number {
    if (this.#size === 0) return -1
    const values = this.#values
    const lowest = values[0]!
    const value = values[--this.#size]!
    let at = 0
    for (let child = 1; child < this.#size; child = at * 2 + 1) {
      if (child + 1 < this.#size && values[child + 1]! < values[child]!) child++
      if (values[child]! >= value) break
      values[at] = values[child]!
      at = child
    }
    values[at] = value
    return lowest
  }
}
