import { json } from 'node:stream/consumers'
import { listen } from './loopback.ts'

/**
 * Secrets Manager on loopback: the one call that we make, in AWS's JSON protocol. What has no value in `values` is a secret
 * that was created empty; `asked` lists the ids asked for; `failures` are the answers of the next calls instead.
 */
export async function startSecretsManager() {
  const values = new Map<string, string>()
  const asked: string[] = []
  const failures: { status?: number; code?: string }[] = []
  const { origin, close } = await listen(async (request, response) => {
    const { SecretId } = (await json(request)) as { SecretId: string }
    asked.push(SecretId)
    const failure = failures.shift()
    if (failure) {
      const { status, code = '' } = failure
      if (status === undefined) return void request.socket.destroy()
      return void response.writeHead(status).end(code && JSON.stringify({ __type: code }))
    }
    const SecretString = values.get(SecretId)
    const isKnown = request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue' && SecretString !== undefined
    response.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' })
    const known = { ARN: SecretId, Name: SecretId, SecretString, VersionStages: ['AWSCURRENT'] }
    const empty = { __type: 'ResourceNotFoundException', Message: 'There is no value for staging label: AWSCURRENT' }
    response.end(JSON.stringify(isKnown ? known : empty))
  })
  return { origin, close, values, asked, failures }
}
