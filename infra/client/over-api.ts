import { perform } from '../command-line/perform.ts'
import type { Output } from '../command-line/print.ts'
import type { Program } from '../command-line/terminal.ts'
import { type Api, openApi } from './api.ts'

/** An action for customers, who have an API key and no database. */
export function overApi<Args extends unknown[]>(
  work: (context: { api: Api; program: Program }, ...args: Args) => Promise<Output | undefined>,
  columns?: readonly string[],
) {
  const open = (env: NodeJS.ProcessEnv) => ({ api: openApi(env) })
  return perform(open, (context: { api: Api; program: Program }, _, args: Args) => work(context, ...args), columns)
}
