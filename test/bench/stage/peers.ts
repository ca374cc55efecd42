import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withForeignPackages } from '../../foreign/packages.ts'
import { service } from '../part.ts'
import type { PeersDatabase } from './server.ts'

/** A row as every store of vectors takes it. */
export interface Row {
  agent: string
  chunk: number
  text: string
  vector: number[]
}

export interface Store {
  /** An empty table, as the peer makes it. */
  reset(): Promise<void>
  add(rows: Row[]): Promise<void>
  /** The texts found, best first. */
  search(agent: string, vector: number[], limit: number): Promise<string[]>
  /** SQL that adds what `add` would, selected from `source`, which has the columns of Row. */
  insertFrom(source: string): string
  /** After loading. */
  analyze(): Promise<void>
  query(text: string, values?: unknown[]): Promise<void>
  close(): Promise<void>
}

/** A store that is asked by words. */
export type WordStore = Omit<Store, 'add' | 'search'> & {
  search(agent: string, question: string, limit: number): Promise<string[]>
}

/** A service of its own, beside the database. */
export interface Service extends Pick<Store, 'search' | 'close'> {
  /** Larger agents it is not asked of. */
  maxChunks?: number
  add(agent: string, rows: Omit<Row, 'agent'>[]): Promise<void>
}

/** Whether a peer is asked of an agent of this size. */
export function isAsked({ maxChunks = Infinity }: Pick<Service, 'maxChunks'>, size: number): boolean {
  return size <= maxChunks
}

/** A library that searches in the process of its caller. */
export interface Library extends Omit<Service, 'search'> {
  byWords: WordStore['search']
  byMeaning(agent: string, question: string, limit: number, vector: number[]): Promise<string[]>
  hybrid: Library['byMeaning']
}

type Splitter = (text: string) => Promise<number> | number

export interface Peers {
  /** Stores in this database, by name, each with a table of its own. */
  stores(database: PeersDatabase): Promise<Record<string, Store>>
  byWords(database: PeersDatabase): Promise<Record<string, WordStore>>
  /** The peers that can run on this machine. */
  services(): Promise<Record<string, Service>>
  libraries(): Promise<Record<string, Library>>
  /** Each returns how many chunks it makes. */
  splitters(): Promise<Record<string, Splitter>>
}

/** @param remark takes a line about each peer that this machine can't run */
export function openPeers(remark: (text: string) => void): Peers {
  const installed = withForeignPackages(join(import.meta.dirname, '../peers'), 'bench')
  const load = (name: string) => import(pathToFileURL(join(installed, name)).href)
  async function startable<Peer>(name: string, start: () => Promise<Peer>): Promise<Record<string, Peer>> {
    try {
      return { [name]: await start() }
    } catch (error) {
      const lines = (error as Error).message.trim().split(/\s*\n\s*/)
      remark(`${name} is missing: ${lines.at(-1)}`)
      return {}
    }
  }

  return {
    async stores(database) {
      const { langChain } = await load('langchain.mjs')
      const { mastra } = await load('mastra.mjs')
      return {
        'LangChain, indexed by hand': langChain(database, 'langchain_indexed', true),
        LangChain: langChain(database, 'langchain', false),
        Mastra: mastra(database),
      }
    },
    async byWords(database) {
      const { fullText } = await load('full-text.mjs')
      return { 'PostgreSQL full text': fullText(database) }
    },
    services: async () => await startable(service, (await load('chroma.mjs')).chroma),
    async libraries() {
      const { lanceDb } = await load('lancedb.mjs')
      const { orama } = await load('orama.mjs')
      return { ...(await startable<Library>('LanceDB', lanceDb)), Orama: orama() }
    },
    splitters: async () => (await load('splitters.mjs')).splitters(),
  }
}
