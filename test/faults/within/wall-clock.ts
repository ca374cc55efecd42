const RealDate = Date
const now = RealDate.now
let shift = 0

// At once, so that whoever keeps a reference to Date.now keeps this one.
RealDate.now = () => now() + shift
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now()] : args, newTarget),
  apply: () => new RealDate(RealDate.now()).toString(),
})

/** Moves the wall clock of this process against the machine's; what measures elapsed time goes on as it did. */
export function shiftClock(milliseconds: number): void {
  shift = milliseconds
}
