const maxShutdownMilliseconds = 5_000

/** Aborted by Ctrl-C or SIGTERM; the process ends five seconds later at the latest. Later signals are ignored: npm repeats Ctrl-C. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) return
    console.log('\nShutting down …')
    setTimeout(() => process.exit(0), maxShutdownMilliseconds).unref()
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
