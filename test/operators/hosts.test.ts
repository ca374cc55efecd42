import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeStageFile } from '../../infra/aws/stage-file.ts'
import { urlOfRole } from '../../infra/postgres-url.ts'
import { useStand } from '../support/stand/stand.ts'
import { cuecard } from '../support/tools/command-line.ts'

const stand = useStand()

/** `npx cuecard` with an operator's URL, in a checkout in which prod's file names a host. */
async function inCheckout(databaseHost: string) {
  const directory = mkdtempSync(join(process.env.RUN_DIRECTORY!, 'stages-'))
  await writeStageFile(directory, 'prod', { account: '444455556666', region: 'eu-central-1', databaseHost })
  const env = {
    DATABASE_URL: urlOfRole(process.env.DATABASE_URL!, 'cuecard_operator'),
    DATABASE_ENDPOINT: process.env.DATABASE_ENDPOINT!,
    STAGES_DIRECTORY: directory,
  }
  return (...args: string[]) => cuecard(args, { env })
}

const host = () => new URL(process.env.DATABASE_URL!).hostname
const former = 'ep-former-1.eu-central-1.aws.neon.tech'

test('a command that changes something refuses a database that is no stage’s, and changes nothing', async () => {
  const { organizationId } = await stand.tenant()
  const run = await inCheckout(former)
  const rename = ['agent', 'create', '--organization', organizationId, '--name', 'Bar']
  expect(await run(...rename)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `error: ${host()} is no stage’s database: prod is at ${former}. Pull infra/aws/stages, use your newest OPERATOR_URL, ` +
      'or pass --other-database\n',
  })
  const { rowCount } = await stand.pool.query('select from agents where organization_id = $1', [organizationId])
  expect(rowCount).toBe(1)
  expect(await run('--other-database', ...rename)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('agent', 'list', '--organization', organizationId)).toMatchObject({ code: 0, stderr: '' })
})

test('it prints the stage and its host where the stage’s file names that', async () => {
  const { organizationId } = await stand.tenant()
  const run = await inCheckout(host())
  expect(await run('agent', 'create', '--organization', organizationId, '--name', 'Bar', '--json')).toMatchObject({
    code: 0,
    stderr: `prod: ${host()}\n`,
  })
})
