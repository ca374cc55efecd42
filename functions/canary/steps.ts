import { CallFailed } from './api-client.ts'

export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: string
  readonly requestId: string | undefined

  constructor(step: string, cause: unknown) {
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.step = step
    this.requestId = cause instanceof CallFailed ? cause.requestId : undefined
  }
}

export type Steps = ReturnType<typeof newSteps>

export function newSteps() {
  const milliseconds: Partial<Record<string, number>> = {}
  return {
    milliseconds,
    /** @throws StepFailed */
    async run<Result>(step: string, act: () => Promise<Result>): Promise<Result> {
      const started = performance.now()
      try {
        const result = await act()
        milliseconds[step] = Math.round(performance.now() - started)
        return result
      } catch (error) {
        throw new StepFailed(step, error)
      }
    },
  }
}
