import { encoderEmbedder } from '../../shared/embedding/encoder-embedder.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import type { Provider } from '../aws/stages.ts'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { changeModels, deleteFormerModels, findModels } from '../embedding-models.ts'
import type { Context } from './context.ts'
import { ownerOf } from './logins.ts'

export interface ModelOptions {
  back?: true
  finish?: true
}

/** Starts the agents' change to the model of the stage's provider, or back to the previous provider's, and shows the progress. */
export async function model(context: Context, { back, finish }: ModelOptions): Promise<void> {
  const { program, stage, asJson } = context
  const { provider, previousProvider } = context.settings
  if (back && !previousProvider) throw new CommandError(`${stage} has no previousProvider in its settings to return to`)
  const { owner } = await ownerOf(context)
  const [current, previous] = [nameOf(provider), nameOf(previousProvider ?? provider)]
  const begun = await changeModels(owner, back ? previous : current, previous)
  if (finish) await deleteFormerModels(owner)
  const { models, changing } = await findModels(owner)
  print(
    program,
    { stage, model: back ? previous : current, agents_that_begin: begun, changing: changing.length },
    { asJson },
  )
  print(program, { data: models }, { asJson })
  if (changing.length > 0) print(program, { data: changing }, { asJson })
}

function nameOf(provider: Provider | 'encoder'): string {
  if (provider === 'encoder') return encoderEmbedder().model
  return openAiEmbedder({ ...provider, apiKey: () => '', timeoutSeconds: 1 }).model
}
