import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one line that programs read: `N passed, N failed`, and the skipped, if any. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
      }
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    process.once('exit', () => console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`))
  }
}
