/** A Map that drops the entry set longest ago when it exceeds `maxEntries`. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    super()
    this.#maxEntries = maxEntries
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#maxEntries) this.delete(this.keys().next().value!)
    return this
  }
}
