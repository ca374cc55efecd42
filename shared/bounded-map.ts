/** A Map of at most `maxEntries` entries. When full, it drops the eighth set longest ago: dropping one at a time takes ten times as long. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    super()
    this.#maxEntries = maxEntries
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size <= this.#maxEntries) return this
    const kept = this.size - Math.ceil(this.#maxEntries / 8)
    for (const key of this.keys()) {
      if (this.size === kept) break
      this.delete(key)
    }
    return this
  }

  /** The value of the key; `compute` makes it if there is none. */
  override getOrInsertComputed(key: Key, compute: (key: Key) => Value): Value {
    const known = this.get(key)
    if (known !== undefined || this.has(key)) return known!
    const value = compute(key)
    this.set(key, value)
    return value
  }
}
