import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the skipped tests, whose names say why, and a line for programs: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const lines: string[] = []
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'pending') continue
        counts[state]++
        if (state === 'skipped')
          lines.push(`skipped: ${module.relativeModuleId} › ${test.fullName.replaceAll(' > ', ' › ')}`)
      }
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    lines.push(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
    process.once('exit', () => console.log(lines.join('\n')))
  }
}
