import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../shared/database/database.ts'
import { stagesDirectory } from '../aws/stage-file.ts'
import { exampleAccount, findStage, type StageSettings } from '../aws/stages.ts'
import { CommandError } from '../command-line/command-error.ts'
import type { Program, Terminal } from '../command-line/terminal.ts'
import { type Aws, awsClients, type Secrets, secretsOf } from './aws.ts'

/** A command's tools outside AWS and the database. */
export interface Surroundings {
  terminal: Terminal
  /** Runs CDK’s program and sends its output to stderr. @throws Error if it fails */
  cdk(args: readonly string[]): Promise<void>
  pause(milliseconds: number): Promise<unknown>
  /** The directory of the stages’ files. */
  directory: string
}

export function ownSurroundings(terminal: Terminal): Surroundings {
  return { terminal, cdk: runCdk, pause: sleep, directory: stagesDirectory }
}

/**
 * CDK’s arguments to deploy only one stack. The stack adopts log groups that a rollback has left behind, and CDK prints
 * IMPORT_COMPLETE for each.
 */
export const cdkDeploy = ['deploy', '--exclusively', '--import-existing-resources', '--require-approval', 'never']

function runCdk(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('cdk', args, { stdio: ['ignore', process.stderr.fd, process.stderr.fd] })
    child.once('error', ({ message }) => reject(new CommandError(`cannot run cdk: ${message}`)))
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new CommandError(`cdk ${args.join(' ')} ended with ${code}: its output says why`)),
    )
  })
}

/** A stage whose settings are known. */
export interface Context extends Surroundings {
  program: Program
  asJson: boolean
  stage: string
  stack: string
  settings: StageSettings
  aws: Aws
  secrets: Secrets
  database(url: string): Database
}

export function contextOf(
  surroundings: Surroundings,
  program: Program,
  stage: string,
  settings: StageSettings,
): Context {
  const aws = awsClients(settings.region)
  const endpoint = surroundings.terminal.env.DATABASE_ENDPOINT || undefined
  return {
    ...surroundings,
    program,
    asJson: program.opts<{ json?: true }>().json === true,
    stage,
    stack: `cuecard-${stage}`,
    settings,
    aws,
    secrets: secretsOf(aws, stage, settings),
    database: (url) => new Database({ url: () => url, endpoint, timeoutSeconds: 30 }),
  }
}

/** @throws CommandError for a stage that is unknown or not created yet */
export function openStage(surroundings: Surroundings, program: Program, stage: string): Context {
  const settings = settingsOf(stage, surroundings.directory)
  if (settings.account === exampleAccount)
    throw new CommandError(`${stage} is not created yet: npm run stage -- create ${stage}`)
  return contextOf(surroundings, program, stage, settings)
}

/** @throws CommandError for an unknown stage */
export function settingsOf(stage: string, directory: string): StageSettings {
  const settings = findStage(stage, directory)
  if (settings) return settings
  throw new CommandError(`no such stage: ${stage}. Stages are declared in infra/aws/stages.ts`)
}
