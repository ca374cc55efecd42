import type { Decision, ModelDocument } from './model.ts'
import type { Tenant } from './world.ts'

/** A request that was made under an Idempotency-Key, and may be made again. */
export interface Remembered {
  tenant: Tenant
  made: Made
  at: number
  /** The document that the request made or changed, if any. */
  document: ModelDocument | undefined
  answer: unknown
}

/** A form with which a browser may post a file for an hour. */
export interface Form {
  tenant: Tenant
  document: ModelDocument
  key: string
  content: string
  until: number
}

export interface Made {
  app: 'documents' | 'chunks'
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Result {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer as it came
  body: any
}

export function checkVerdict(made: Made, result: Result, { status, code }: Decision['verdict']) {
  if (result.status !== status || (code !== undefined && result.body?.code !== code))
    throw new Error(
      `${made.method} ${made.path} ${JSON.stringify(made.body)} answered ${result.status} ${JSON.stringify(result.body)}, not ${status} ${code ?? ''}`,
    )
}

export function forget(tenant: Tenant, document: ModelDocument) {
  tenant.documents = tenant.documents.filter((other) => other !== document)
}

const woods = 'amber birch cedar delta ember fjord grove haven inlet jetty knoll larch maple north ocean pearl'
export const words = woods.split(' ')
export const sentence = 'The shop sells'
