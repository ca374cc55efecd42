import type { Command } from 'commander'
import { connect, type Services } from '../connection.ts'
import { type Output, print } from '../print.ts'

/** @param columns of a table that people get; all by default */
export function action<Args extends unknown[]>(
  work: (services: Services, ...args: Args) => Promise<Output>,
  columns?: readonly string[],
) {
  return async (...args: [...Args, Command]) => {
    const command = args.pop() as Command
    const services = await connect(process.env)
    print(await work(services, ...(args as unknown as Args)), {
      asJson: command.optsWithGlobals().json === true,
      columns,
    })
  }
}
