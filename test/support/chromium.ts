import { existsSync } from 'node:fs'

/** Of a Chromium on this machine; undefined when there is none. */
export const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
)
