import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The inspector's command line: a process for each request. */
export function open(url, headers) {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  async function run(...options) {
    const target = ['--cli', url, '--transport', 'http', ...sent, '--method', ...options]
    const { stdout } = await promisify(execFile)('mcp-inspector', target).catch((error) => {
      // A tool's error sets the exit code, but the result is still printed.
      if (error.stdout?.includes('"isError"')) return error
      throw error
    })
    return JSON.parse(stdout)
  }
  return {
    list: async () => (await run('tools/list')).tools,
    call: (name, input) =>
      run(
        'tools/call',
        '--tool-name',
        name,
        ...Object.entries(input).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
      ),
    close: () => Promise.resolve(),
  }
}
