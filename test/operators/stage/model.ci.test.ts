import { beforeEach, expect, test } from 'vitest'
import { readStageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { workerWith } from '../../support/provider/model-worker.ts'
import { twoModels } from '../../support/provider/reversed-embedder.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stand.pool.query('truncate organizations, operator_actions cascade')
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
})

async function changeSettings(model: string, previous: string) {
  const settings = readStageFile(stage.directory, 'prod')!
  const named = (model: string) => ({ baseUrl: stage.provider.baseUrl, model })
  await writeStageFile(stage.directory, 'prod', {
    ...settings,
    provider: named(model),
    previousProvider: named(previous),
  })
}

const lines = async (...args: string[]) => {
  const { code, stdout, stderr } = await stage.run(['model', 'prod', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim().split('\n')
}

test('a stage changes its model, shows how far it is, returns at no cost before and after, and finishes', {
  timeout: 300_000,
}, async () => {
  const { calls, first, changing } = twoModels()
  const tenant = await stand.tenant()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Pool', content: 'The pool opens in May.' })
  const worker = workerWith(first)
  await worker.embed(tenant, body.id)
  await changeSettings('second', 'first')

  expect(await lines()).toEqual([
    ...['stage              prod', 'model              second', 'agents_that_begin  1', 'changing           1'],
    ...['model  agents  may_return', 'first  1       0'],
    expect.stringMatching(/^agent +from +to +embedded +total$/),
    expect.stringMatching(`^${tenant.agentId} +first +second +0 +1$`),
  ])
  stage.aws.stacks.set('cuecard-prod', { status: 'CREATE_COMPLETE' })
  const { stdout } = await stage.run(['status', 'prod', '--secrets', '--json'])
  const progress = { agent: tenant.agentId, from: 'first', to: 'second', embedded: 0, total: 1, waiting: null }
  expect(JSON.parse(stdout)).toMatchObject({ agents_that_change_model: [progress] })

  calls.length = 0
  const servedBy = (model: string, mayReturn: number, begins = 0) => [
    ...['stage              prod', `model              ${model}`, `agents_that_begin  ${begins}`],
    'changing           0',
    expect.stringMatching(/^model +agents +may_return$/),
    expect.stringMatching(`^${model} +1 +${mayReturn}$`),
  ]
  const changed = () => workerWith(changing).change(tenant)
  expect(await lines('--back')).toEqual(servedBy('first', 1, 1))
  await changed()
  expect(calls).toEqual([])

  await lines()
  await changed()
  expect(calls.map(({ model }) => model)).toEqual(['second'])
  expect(await lines()).toEqual(servedBy('second', 1))
  expect(await lines('--finish')).toEqual(servedBy('second', 1))
  await changed()
  expect(await lines()).toEqual(servedBy('second', 0))
})

test('without a previous provider there is no way back', async () => {
  const { code, stderr } = await stage.run(['model', 'prod', '--back'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: prod has no previousProvider in its settings to return to\n',
  })
})
