import { print } from '../command-line/print.ts'
import type { Context } from './context.ts'
import { dropLogin, letIn, ownerOf, urlOf } from './logins.ts'

export interface OperatorOptions {
  remove?: true
}

/** The time-out of a statement of an export or an erasure. */
const statementSeconds = 70

/** Gives a person a login in the role `cuecard_operator`, or a new password, or drops the login. Prints the URL once. */
export async function operator(context: Context, person: string, { remove }: OperatorOptions): Promise<void> {
  const { program, asJson } = context
  const { owner, ownerUrl } = await ownerOf(context)
  const login = `cuecard_operator_${person}`
  if (remove) {
    await dropLogin(owner, login)
    return print(program, { login, removed: true }, { asJson })
  }
  const password = await letIn(owner, { login, role: 'cuecard_operator', statementSeconds })
  print(program, { login, operator_url: urlOf(ownerUrl, login, password) }, { asJson })
}
