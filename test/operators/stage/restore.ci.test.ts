import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readStageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import type { SecretName } from '../../../infra/aws/stages.ts'
import { requirePostgresPrograms } from '../../../infra/backup/postgres.ts'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'
import { withClient } from '../../../infra/postgres-client.ts'
import { databaseUsers, lambdaNames } from '../../../infra/wiring.ts'
import { newKey } from '../../../shared/http/api-keys.ts'
import { deployLambdas, instanceOn, useStageOf } from '../../support/aws/stage.ts'
import { createDocument } from '../../support/documents/documents.ts'
import { useGateway } from '../../support/stand/gateway.ts'
import { type Tenant, useStand } from '../../support/stand/stand.ts'
import { cuecard, cuecardJson } from '../../support/tools/command-line.ts'
import { isThorough } from '../../support/tools/effort.ts'

const server = process.env.DATABASE_URL
const hasPrograms = await requirePostgresPrograms(server ?? '').then(
  () => server !== undefined,
  () => false,
)

describe.runIf(hasPrograms)(
  'npm run stage -- restore (needs DATABASE_URL, and pg_dump on the path or in PG_BIN)',
  () => {
    const stand = useStand()
    const gateway = useGateway(stand)
    const stage = useStageOf(stand)
    const dropped: (() => Promise<void>)[] = []
    let env: Record<string, string>
    let identity: string
    let waited: { milliseconds: number; secrets: number }[]
    let written: string[]

    beforeEach(async () => {
      await stage.clear()
      await stand.pool.query('truncate erasures')
      stage.stayOnProxy()
      written = []
      waited = []
      stage.onPause((milliseconds) => {
        waited.push({ milliseconds, secrets: written.length })
        return Promise.resolve()
      })
      stage.onDeploy(() => deployLambdas(stage, stand, gateway.origin))
      identity = await generateX25519Identity()
      const to = join(mkdtempSync(join(process.env.RUN_DIRECTORY!, 'backups-')), 'prod')
      env = {
        ...stage.answers(),
        OWNER_URL: at(new URL(process.env.DATABASE_URL!).pathname),
        BACKUP_IDENTITY: identity,
        BACKUP_TO: to,
        BACKUP_RECIPIENT: await identityToRecipient(identity),
        PG_BIN: process.env.PG_BIN ?? '',
      }
      for (const args of [
        ['create', 'prod', '--yes'],
        ['deploy', 'prod'],
      ])
        expect(await stage.run(args, { env }), args[0]).toMatchObject({ code: 0 })
      stage.aws.beforeWrite = (action) => void written.push(action)
    })
    afterEach(async () => {
      for (const drop of dropped.splice(0)) await drop()
    })

    /** The owner's URL of a database on the server itself. */
    const at = (pathname: string) => Object.assign(new URL(stage.ownerUrl()), { ...hostOf(server!), pathname }).href
    const hostOf = (url: string) => {
      const { hostname, port } = new URL(url)
      return { hostname, port }
    }
    const emptyDatabase = async () => {
      const { url, drop } = await createScratchDatabase(server!)
      dropped.push(drop)
      return at(new URL(url).pathname)
    }
    const restore = (OWNER_URL: string, more: object = {}) =>
      stage.run(['restore', 'prod', '--backup', '--yes', '--json'], { env: { ...env, OWNER_URL, ...more } })

    /** A backup, after which a customer is erased, a key revoked and a document deleted. */
    async function historyOf() {
      const [kept, gone] = [await stand.tenant(), await stand.tenant()]
      const document = await createDocument(kept, 'Open on Sundays.')
      const revoked = await anotherKey(kept)
      expect(await stage.run(['backup', 'prod'], { env })).toMatchObject({ code: 0 })
      await sql`update api_keys set revoked_at = now() - interval '1 minute' where organization_id = ${gone.organizationId}`.execute(
        stand.db,
      )
      await cuecardJson('organization', 'delete', gone.organizationId, '--yes-erase-name', 'Test')
      await cuecardJson('key', 'revoke', revoked.id)
      await kept.call('DELETE', `${kept.knowledgeBase}/${document.id}`)
      return { kept, gone, document, revoked: revoked.key }
    }

    async function anotherKey({ organizationId }: Tenant): Promise<{ id: string; key: string }> {
      return await cuecardJson(
        'key',
        'create',
        '--organization',
        organizationId,
        '--name',
        'Two',
        '--permissions',
        'kb:read',
      )
    }

    type History = Awaited<ReturnType<typeof historyOf>>

    async function expectRestored(url: string, { kept, gone, document }: History): Promise<void> {
      const of = (secret: SecretName) => new URL(stage.secret(secret)!).pathname
      const { pathname } = new URL(url)
      expect(stage.secret('database-owner')).toBe(url)
      for (const name of databaseUsers) expect(of(`database-${name}`), name).toBe(pathname)
      const found = await withClient(url, (client) =>
        client.query(
          `select (select array_agg(id::text) from documents where organization_id = $1) as documents,
          (select count(*)::int from organizations where id = $2) as gone,
          (select count(*)::int from api_keys where organization_id = $1 and revoked_at is null) as keys,
          (select count(*)::int from api_keys k join agents a using (organization_id) where a.name = 'Canary' and k.revoked_at is null) as canary`,
          [kept.organizationId, gone.organizationId],
        ),
      )
      expect(found.rows).toEqual([{ documents: [document.id], gone: 0, keys: 1, canary: 1 }])
      expect([...stage.aws.mappings.values()]).not.toContain(false)
      expect([...stage.aws.reservations.values()]).not.toContain(0)
    }

    test('moves a stage to a backup, without data erased or keys revoked since; warm Lambdas follow', async () => {
      const history = await historyOf()
      const { kept, revoked, document } = history
      const documents = await instanceOn(stage, stand, 'documents')
      const path = `${kept.knowledgeBase}/${document.id}`
      expect(await documents(kept.apiKey, 'GET', path)).toBe(404)
      const url = await emptyDatabase()
      const { code, stdout, stderr } = await restore(url)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(JSON.parse(stdout)).toMatchObject({ stage: 'prod', erased: 1, revoked: 1 })
      await expectRestored(url, history)
      expect(await documents(kept.apiKey, 'GET', path)).toBe(200)
      expect(await documents(revoked, 'GET', path)).toBe(401)
      expect(await documents(newKey(), 'GET', path)).toBe(401)
      // The longest run of a Lambda must fit between the stop of all and the first secret with the other database.
      const quiet = waited.find(({ milliseconds }) => milliseconds > 200_000)
      expect(written.slice(0, quiet!.secrets)).not.toContain('secretsmanager:PutSecretValue')
      expect(
        written.slice(0, quiet!.secrets).filter((action) => action === 'lambda:PutFunctionConcurrency'),
      ).toHaveLength(lambdaNames.length)
    })

    test('closes the operators’ logins on the former database, and names the new host in the stage’s file', async () => {
      await historyOf()
      const operator = await stage.run(['operator', 'prod', 'ada', '--json'], { env })
      dropped.push(async () => void (await stand.pool.query('drop role cuecard_operator_ada')))
      const former = {
        DATABASE_URL: JSON.parse(operator.stdout).operator_url,
        DATABASE_ENDPOINT: stage.proxy.origin,
      }
      const look = () => cuecard(['organization', 'list'], { env: former })
      expect(await look()).toMatchObject({ code: 0 })
      const file = readStageFile(stage.directory, 'prod')!
      await writeStageFile(stage.directory, 'prod', { ...file, databaseHost: 'ep-former.eu-central-1.aws.neon.tech' })
      const url = await emptyDatabase()
      const changes: string[] = []
      stage.proxy.beforeWrite = (statement) => void changes.push(statement)
      expect(await restore(url)).toMatchObject({ code: 0, stderr: expect.stringMatching(/names the new host/) })
      const at = (pattern: RegExp) => changes.findIndex((statement) => pattern.test(statement))
      expect(at(/alter role "cuecard_operator_ada" nologin/)).toBeGreaterThanOrEqual(0)
      expect(at(/alter role "cuecard_operator_ada" nologin/)).toBeLessThan(at(/insert into erasures/))
      expect(await look()).toMatchObject({ code: 1, stderr: expect.stringMatching(/authentication failed/) })
      expect(readStageFile(stage.directory, 'prod')!.databaseHost).toBe(new URL(url).hostname)
    })

    test('continues where it was interrupted, before any of its writes and within the restore itself', async () => {
      const history = await historyOf()
      const kinds: string[] = []
      const cut = (last: number) => {
        let writes = 0
        return (what: string) => {
          kinds[writes] = /\w+(:\w+)?/.exec(what)![0]
          if (++writes >= last) throw new Error('interrupted')
        }
      }
      const cutOff = async (url: string, last: number) => {
        stage.aws.beforeWrite = stage.proxy.beforeWrite = cut(last)
        const { code } = await restore(url)
        stage.aws.beforeWrite = stage.proxy.beforeWrite = () => {}
        return code
      }
      const url = await emptyDatabase()
      expect(await restore(url, { PG_BIN: tornPrograms() })).toMatchObject({ code: 1 })
      const tables = await withClient(url, (client) =>
        client.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`),
      )
      expect(tables.rowCount).toBe(0)
      const former = stage.secret('database-owner')!
      expect(await cutOff(url, Number.POSITIVE_INFINITY)).toBe(0)
      await expectRestored(url, history)
      const all = kinds.length
      expect(all).toBeGreaterThan(3 * databaseUsers.length)
      const writes = Array.from({ length: all }, (_, i) => i + 1)
      // Unless thorough, tests the first write of each kind.
      const few = writes.filter((write) => kinds.indexOf(kinds[write - 1]!) === write - 1)
      for (const write of isThorough ? writes : few) {
        const next = await emptyDatabase()
        stage.aws.secrets.set('cuecard/prod/database-owner', former)
        expect(await cutOff(next, write), kinds[write - 1]).toBe(1)
        const { code, stderr } = await restore(next)
        expect(code, `${kinds[write - 1]}: ${stderr}`).toBe(0)
        await expectRestored(next, history)
      }
    }, 3_600_000)

    test('leaves a database with rows of its own alone, and one that does not answer unless it is said to be lost', async () => {
      await historyOf()
      const { code, stderr } = await restore(stage.secret('database-owner')!)
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('the database is not empty') })
      const url = await emptyDatabase()
      stage.aws.secrets.set('cuecard/prod/database-owner', at('/gone'))
      written = []
      expect(await restore(url)).toMatchObject({ code: 1, stderr: expect.stringContaining('pass --lost') })
      expect(written).toEqual([])
      const lost = ['restore', 'prod', '--backup', '--yes', '--lost']
      expect(await stage.run(lost, { env: { ...env, OWNER_URL: url } })).toMatchObject({ code: 0 })
    })

    /** pg_restore that ends in the middle of the data. */
    function tornPrograms(): string {
      const bin = mkdtempSync(join(process.env.RUN_DIRECTORY!, 'torn-'))
      const whole = (name: string) => join(process.env.PG_BIN ?? '', name)
      for (const name of ['pg_dump', 'pg_restore']) {
        const run = `exec ${whole(name)} "$@"`
        const torn = `case "$*" in *--version*|*--list*) ${run};; esac
for file; do :; done
truncate -s -200 "$file"; ${run}`
        writeFileSync(join(bin, name), `#!/bin/sh\n${name === 'pg_restore' ? torn : run}\n`)
        chmodSync(join(bin, name), 0o700)
      }
      dropped.push(async () => rmSync(bin, { recursive: true }))
      return bin
    }
  },
)
