const input = './openapi.json'
const baseUrl = process.env.BASE_URL

export default {
  fetch: { input, output: { target: 'generated/orval.ts', client: 'fetch', baseUrl } },
  zod: { input, output: { target: 'generated/orval-zod.ts', client: 'zod' } },
}
