import { readdirSync, statSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleStages as stages } from '../../infra/aws/stages.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import { embedding, type LambdaName, lambdaNames, lambdas, wholeCpuMb } from '../../infra/wiring.ts'
import { type Fields, StackTemplate, synthesize, useSynthesis } from '../support/aws/aws-template.ts'
import { deploy } from '../support/aws/deployed-system.ts'
import { makeTenant } from '../support/stand/tenant.ts'

const directory = useSynthesis().scratch('encoder')
const maxPackageBytes = 250e6
const napi = 'napi-v6'
let stack: StackTemplate
let secrets: StackTemplate
let system: Awaited<ReturnType<typeof deploy>>

beforeAll(async () => {
  await mkdir(directory)
  const { dev, prod } = stages
  await synthesize(directory, { island: { ...prod, provider: 'encoder' }, mainland: dev })
  stack = new StackTemplate(join(directory, 'cdk.out'), 'cuecard-island')
  secrets = new StackTemplate(join(directory, 'cdk.out'), 'cuecard-island-secrets')
  system = await deploy(stack)
}, 240_000)
afterAll(() => system?.close())

test('a stage with the encoder has no secret of a provider, and no alarm for its key or its bill', () => {
  expect(secrets.text).not.toMatch(/provider/)
  const { Variables } = stack.lambda('search').Properties.Environment as { Variables: Fields }
  expect(Variables).toMatchObject({ EMBEDDING_MODEL: 'encoder' })
  expect(stack.text).not.toMatch(/EMBEDDING_SECRET|EMBEDDING_BASE_URL|cuecard-island-(provider-key|tokens)/)
})

test('only the Lambdas that embed have the encoder, with a whole vCPU, and only in such a stage', () => {
  const mainland = new StackTemplate(join(directory, 'cdk.out'), 'cuecard-mainland')
  const filesOf = (each: StackTemplate, name: LambdaName) =>
    readdirSync(dirname(each.bundle(name)), { recursive: true, encoding: 'utf8' })
  const hasModel = (each: StackTemplate) => (name: LambdaName) =>
    filesOf(each, name).some((file) => file.endsWith('model.json'))
  expect(lambdaNames.filter(hasModel(stack)).sort()).toEqual([...embedding].sort())
  expect(lambdaNames.filter(hasModel(mainland))).toEqual([])
  const native = filesOf(stack, 'search').filter((file) => /\.(node|so|dylib|dll)\b/.test(file))
  expect(native.map((file) => dirname(file))).toEqual(
    Array(2).fill(`node_modules/onnxruntime-node/bin/${napi}/linux/arm64`),
  )
  for (const name of lambdaNames) {
    const embeds = embedding.some((each) => each === name)
    const { MemorySize } = stack.lambda(name).Properties
    expect(MemorySize, name).toBe(embeds ? wholeCpuMb : lambdas[name].memoryMb)
    const sizes = filesOf(stack, name).map((file) => statSync(join(dirname(stack.bundle(name)), file)).size)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(maxPackageBytes)
  }
})

test('its bundles find by meaning what shares no word with the question', async () => {
  const code = `node_modules/onnxruntime-node/bin/${napi}/${process.platform}/${process.arch}`
  for (const name of embedding)
    await cp(join(import.meta.dirname, '../..', code), join(dirname(stack.bundle(name)), code), { recursive: true })
  const { apiKey, knowledgeBase } = await makeTenant(system.owner)
  const contents = {
    Animals: 'One well-behaved dog per room is fine, with blanket and bowl.',
    Heating: 'Each radiator has a valve. Turn it to three for a warm evening.',
    Arriving: 'Check-in is from four in the afternoon until nine in the evening.',
  }
  for (const [title, content] of Object.entries(contents))
    await system.http('POST', knowledgeBase, apiKey, { title, content })
  const sqs = new SQSClient({ endpoint: system.sqsEndpoint, region, credentials })
  const request = new ReceiveMessageCommand({ QueueUrl: system.queues.embedding.queueUrl, MaxNumberOfMessages: 10 })
  const { Messages = [] } = await sqs.send(request)
  sqs.destroy()
  const Records = Messages.map(({ MessageId, Body }) => ({
    messageId: MessageId,
    body: Body,
    attributes: { ApproximateReceiveCount: '1' },
  }))
  expect(Records).toHaveLength(3)
  expect(await system.invoke('embedding', { Records })).toEqual({ batchItemFailures: [] })

  const query = 'can we bring our labrador'
  for (const mode of ['semantic', 'hybrid']) {
    const found = await system.http('POST', `${knowledgeBase}/search`, apiKey, { query, mode, limit: 1 })
    const data = [{ content: contents.Animals, scores: { keyword: null } }]
    expect(found).toMatchObject({ status: 200, body: { degraded: null, data } })
  }
})
