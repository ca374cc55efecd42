import { api } from '../../shared/api.ts'

export function referenceApp() {
  return api()
}
