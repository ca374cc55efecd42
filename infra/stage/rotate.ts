import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import type { DatabaseUser } from '../wiring.ts'
import { confirm } from './answers.ts'
import type { Context } from './context.ts'
import { closeLogin, loginOf, makeLogin, otherThan, ownerOf, type Slot, slotOf } from './logins.ts'

export interface RotateOptions {
  login: DatabaseUser[]
  yes?: true
}

/**
 * Switches each Lambda to its other login with a new password, and closes the former one. The secret always names a working login, so
 * that a rejected Lambda finds another one there.
 */
export async function rotate(context: Context, { login: lambdas, yes }: RotateOptions): Promise<void> {
  const { program, secrets, asJson, terminal } = context
  const { owner, ownerUrl } = await ownerOf(context)
  const used = await Promise.all(lambdas.map(async (lambda) => ({ lambda, from: await slotInUse(context, lambda) })))
  if (!yes) await confirm(terminal, `New logins for ${lambdas.join(', ')}? [y/N]`, '--yes')
  for (const { lambda, from } of used) {
    await secrets.write(`database-${lambda}`, await makeLogin(context, ownerUrl, lambda, otherThan(from)))
    program.warn(`${lambda}: ${loginOf(lambda, otherThan(from))} is in the secret`)
  }
  for (const { lambda, from } of used) {
    await untilStored(context, lambda, otherThan(from))
    await closeLogin(owner, lambda, from)
    program.warn(`${lambda}: ${loginOf(lambda, from)} is closed`)
  }
  const data = used.map(({ lambda, from }) => ({
    lambda,
    login: loginOf(lambda, otherThan(from)),
    closed: loginOf(lambda, from),
  }))
  print(program, { data }, { asJson })
}

async function slotInUse({ secrets, stage }: Context, lambda: DatabaseUser): Promise<Slot> {
  const slot = slotOf(lambda, (await secrets.read(`database-${lambda}`)).value)
  if (slot) return slot
  throw new CommandError(`the secret of ${lambda} names neither of its logins: npm run stage -- create ${stage}`)
}

/** Waits until the secret names the new login, so that no Lambda finds a closed one there. */
async function untilStored({ secrets, pause }: Context, lambda: DatabaseUser, slot: Slot): Promise<void> {
  for (let attempt = 1; attempt <= 30; attempt++) {
    if (slotOf(lambda, (await secrets.read(`database-${lambda}`)).value) === slot) return
    await pause(1000)
  }
  throw new CommandError(`the secret of ${lambda} still names its old login, which is left open: rotate it again`)
}
