export type Steps = ReturnType<typeof newSteps>

/** Times the steps of a run, one after the other. */
export function newSteps() {
  const steps = {
    /** The step that began last. If the run fails, it is the one that failed. */
    current: '',
    milliseconds: {} as Partial<Record<string, number>>,
    async run<Result>(step: string, act: () => Promise<Result>): Promise<Result> {
      steps.current = step
      const started = performance.now()
      const result = await act()
      steps.milliseconds[step] = Math.round(performance.now() - started)
      return result
    },
  }
  return steps
}
