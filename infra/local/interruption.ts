const maxShutdownMilliseconds = 5_000

/**
 * Aborted by the first Ctrl-C, or by SIGTERM. The process ends five seconds later at the latest, even if work still waits for
 * a provider: the next start takes that up. npm passes on a Ctrl-C that the terminal has delivered already, so a second one means nothing.
 */
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
