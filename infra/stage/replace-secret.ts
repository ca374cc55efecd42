import { print } from '../admin/print.ts'
import { answersFrom, type Question } from './answers.ts'
import type { Context } from './context.ts'
import { ownerQuestion, providerQuestion } from './create/plan.ts'

export const replaceable = ['provider', 'previous-provider', 'database-owner'] as const

const questions: Record<(typeof replaceable)[number], (context: Context) => Question> = {
  provider: (context) => providerQuestion(context),
  'previous-provider': (context) => providerQuestion(context, 'previous-provider'),
  'database-owner': ownerQuestion,
}

/** Puts another value into a secret, once it works. Running Lambdas fetch it when the old one is rejected. */
export async function replaceSecret(context: Context, name: (typeof replaceable)[number]): Promise<void> {
  const ask = await answersFrom(context.terminal, undefined)
  await context.secrets.write(name, await ask(questions[name](context)))
  print(context.program, { stage: context.stage, replaced: name }, context)
}
