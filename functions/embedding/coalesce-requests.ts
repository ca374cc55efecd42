interface Coalescing<Item, Result> {
  mayJoin: (group: Item[], item: Item) => boolean
  request: (items: Item[]) => Promise<Result[]>
  /** True if an error is not an item's fault, so that separate requests would fail too. */
  concernsAll?: (error: unknown) => boolean
}

/** Joins the requests of one turn of the event loop. When a joined request fails, each item is requested separately. */
export function coalesceRequests<Item, Result>({
  mayJoin,
  request,
  concernsAll = () => false,
}: Coalescing<Item, Result>) {
  interface Asked extends PromiseWithResolvers<Result> {
    item: Item
  }
  let waiting: Asked[] = []

  async function send(group: Asked[]): Promise<void> {
    try {
      const results = await request(group.map(({ item }) => item))
      for (const [i, { resolve }] of group.entries()) resolve(results[i]!)
    } catch (error) {
      if (group.length === 1 || concernsAll(error)) for (const { reject } of group) reject(error)
      else for (const asked of group) void send([asked])
    }
  }

  function sendAll(): void {
    const groups: Asked[][] = []
    for (const asked of waiting) {
      const group = groups.find((group) =>
        mayJoin(
          group.map(({ item }) => item),
          asked.item,
        ),
      )
      if (group) group.push(asked)
      else groups.push([asked])
    }
    waiting = []
    for (const group of groups) void send(group)
  }

  return (item: Item): Promise<Result> => {
    if (waiting.length === 0) setImmediate(sendAll)
    const asked = { item, ...Promise.withResolvers<Result>() }
    waiting.push(asked)
    return asked.promise
  }
}
