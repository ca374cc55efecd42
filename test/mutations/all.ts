import { adminMutations } from './admin.ts'
import { awsMutations } from './aws.ts'
import { dashboardMutations } from './dashboard.ts'
import { databaseMutations } from './database.ts'
import { documentsMutations } from './documents.ts'
import { embeddingMutations } from './embedding.ts'
import { filesMutations } from './files.ts'
import { httpMutations } from './http.ts'
import { localMutations } from './local.ts'
import type { Mutation } from './mutation.ts'
import { platformsMutations } from './platforms.ts'
import { providerMutations } from './provider.ts'
import { retrievalMutations } from './retrieval.ts'
import { sweeperMutations } from './sweeper.ts'

export const mutations: Mutation[] = [
  ...adminMutations,
  ...awsMutations,
  ...dashboardMutations,
  ...databaseMutations,
  ...documentsMutations,
  ...embeddingMutations,
  ...filesMutations,
  ...httpMutations,
  ...localMutations,
  ...platformsMutations,
  ...providerMutations,
  ...retrievalMutations,
  ...sweeperMutations,
]
