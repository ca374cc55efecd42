import { configuredMailer } from '../../shared/aws/mail.ts'
import { config } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database/database.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { loaded } from '../../shared/loading.ts'
import { configuredSender } from '../../shared/work/sqs-queue.ts'
import { dashboardApp } from './app.ts'
import { configuredOidc } from './session/oidc.ts'

const { CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS, KEY_SIGN_IN } = config()

export const handler = lambdaHandler(
  dashboardApp({
    db: configuredDatabase(),
    queue: configuredSender('embedding', 'extraction', 'crawler'),
    presigner: configuredPresigner(),
    embedder: configuredEmbedder(),
    mailer: configuredMailer(),
    oidc: configuredOidc(),
    keySignIn: KEY_SIGN_IN,
    chunkSize: { targetTokens: CHUNK_TOKENS, overlapTokens: CHUNK_OVERLAP_TOKENS },
  }),
)

await loaded()
