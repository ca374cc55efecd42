import { afterEach, beforeEach, expect, test } from 'vitest'
import { secretsFor } from '../../../infra/aws/secrets.ts'
import { readStageFile, type StageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import { exampleStages } from '../../../infra/aws/stages.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { startKeyedProvider } from '../../support/provider/keyed-provider.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)
const key = 'sk-key-of-the-other-provider'
let other: Awaited<ReturnType<typeof startKeyedProvider>>

beforeEach(async () => {
  await stage.clear()
  other = await startKeyedProvider()
  other.keys.add(key)
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
})
afterEach(() => other.close())

const change = (changes: Partial<StageFile>) =>
  writeStageFile(stage.directory, 'prod', { ...readStageFile(stage.directory, 'prod')!, ...changes })

test('another provider gets a secret of its own, so that the running release, or one that returns, keeps its key', async () => {
  const { provider } = readStageFile(stage.directory, 'prod')!
  const kept = stage.secretId('provider')
  await change({ provider: { baseUrl: other.baseUrl, model: 'other' }, previousProvider: provider! })
  expect(stage.secretId('previous-provider')).toBe(kept)
  const created = await stage.run(['create', 'prod', '--yes'], { env: { PROVIDER_KEY: key } })
  expect(created, created.stderr).toMatchObject({ code: 0 })
  expect([stage.secret('provider'), stage.aws.secrets.get(kept)]).toEqual([key, stage.providerKey])
  const { stdout } = await stage.run(['status', 'prod', '--secrets', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ is_well: true })
  await change({ provider: provider! })
  expect(stage.secret('provider')).toBe(stage.providerKey)
})

test('another model of the same provider shares its key', async () => {
  const { provider } = readStageFile(stage.directory, 'prod')!
  await change({ provider: { baseUrl: stage.provider.baseUrl, model: 'other' }, previousProvider: provider! })
  expect(await stage.run(['create', 'prod', '--yes'], { env: {} })).toMatchObject({ code: 0 })
  expect(stage.secret('previous-provider')).toBe(stage.providerKey)
})

test('a Lambda reads the secret of its own release’s provider', () => {
  const idOf = (baseUrl: string) =>
    secretsFor('prod', { ...exampleStages.prod, provider: { baseUrl, model: 'm' } }).provider!.id
  expect(['https://api.openai.com/v1', 'https://api.openai.com/v1/', 'https://localhost:8080'].map(idOf)).toEqual([
    'cuecard/prod/provider/api.openai.com/v1',
    'cuecard/prod/provider/api.openai.com/v1',
    'cuecard/prod/provider/localhost_8080',
  ])
})
