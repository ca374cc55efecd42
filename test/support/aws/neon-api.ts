import { listen } from '../http/loopback.ts'

/**
 * Neon's API on loopback, as far as `npm run stage` reads it: shapes and errors of `ProjectResponse`, `BranchResponse` and `GeneralError`
 * in @neon/sdk 6.1.2. Serves one project with one branch, to one key.
 */
export async function startNeonApi() {
  const state = {
    key: 'napi_key-of-the-test',
    project: { id: 'quiet-sun-12345678', history_retention_seconds: 86_400 },
    branch: { id: 'br-wide-sky-a1b2c3d4', name: 'production', default: true, protected: false },
  }
  const { origin, close } = await listen(({ url, method, headers }, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (status: number, message: string) => answer(status, { request_id: 'r', code: '', message })
    const { project, branch } = state
    const path = `/projects/${project.id}`
    if (headers.authorization !== `Bearer ${state.key}`) return refuse(401, 'authentication required')
    if (method === 'GET' && url === path) return answer(200, { project })
    if (method === 'GET' && url === `${path}/branches/${branch.id}`)
      return answer(200, { branch: { ...branch, project_id: project.id }, annotation: { value: {} } })
    return refuse(404, 'not found')
  })
  return Object.assign(state, { origin, close })
}
