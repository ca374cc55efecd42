import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { stages } from '../../infra/aws/stages.ts'
import { useSynthesis } from '../support/aws-template.ts'

const synthesis = useSynthesis()

const root = join(import.meta.dirname, '../..')
const other = '999988887777'

test.each(['dev', 'prod'] as const)('%s is pinned to the account and the region of its settings', (stage) => {
  const { account, region } = stages[stage]
  const { artifacts } = JSON.parse(readFileSync(join(synthesis.outdir, 'manifest.json'), 'utf8'))
  for (const name of [`cuecard-${stage}`, `cuecard-${stage}-secrets`])
    expect(artifacts[name].environment).toBe(`aws://${account}/${region}`)
})

test('a deploy with credentials of another account is refused before it touches anything', async () => {
  const calls: string[] = []
  // AWS's service for credentials: it knows who asks, and lets nobody into an account of others.
  const sts = createServer(async (request, response) => {
    const parameters = new URLSearchParams(await text(request))
    calls.push(parameters.get('Action') ?? request.url!)
    const isIdentity = parameters.get('Action') === 'GetCallerIdentity'
    response.writeHead(isIdentity ? 200 : 403, { 'content-type': 'text/xml' }).end(isIdentity ? identity : denied)
  })
  await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve))
  const env = {
    PATH: process.env.PATH,
    HOME: synthesis.scratch('home'),
    // Where CDK remembers whose a key is.
    CDK_HOME: synthesis.scratch('cdk-home'),
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(sts.address() as AddressInfo).port}`,
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  const cdk = join(root, 'node_modules/aws-cdk/bin/cdk')
  const args = [cdk, ...'deploy cuecard-prod --exclusively --require-approval never --app'.split(' '), synthesis.outdir]
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, args, { cwd: root, env }, (error, _, stderr) => resolve({ code: error?.code, stderr })),
  )
  sts.close()
  expect(code).toBe(1)
  expect(stderr).toContain(
    `Could not assume role in target account using current credentials (which are for account ${other})`,
  )
  expect(new Set(calls)).toEqual(new Set(['GetCallerIdentity', 'AssumeRole']))
})

const namespace = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"'
const identity = `<GetCallerIdentityResponse ${namespace}><GetCallerIdentityResult><Arn>arn:aws:iam::${other}:user/ada</Arn>
  <UserId>AIDA</UserId><Account>${other}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
const denied = `<ErrorResponse ${namespace}><Error><Type>Sender</Type><Code>AccessDenied</Code>
  <Message>not authorized</Message></Error></ErrorResponse>`
