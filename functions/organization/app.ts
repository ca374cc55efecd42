import { type RouterOptions, router } from '../../shared/http/router.ts'
import { getUsage } from '../../shared/organizations/limits.ts'
import { getOrganization, updateOrganization } from '../../shared/organizations/organization.ts'
import { organizationExample, organizationSchema, updateBody, usageExample, usageSchema } from './schemas.ts'
import { addWebhookRoutes } from './webhooks.ts'

const path = '/v1/organization'
const anOrganization = { description: 'The organization', schema: organizationSchema, example: organizationExample }

export function organizationApp(options: RouterOptions) {
  const routes = router('Organization', options)
  addWebhookRoutes(routes.tagged('Webhooks'))
  return routes
    .get(
      path,
      {
        operationId: 'getOrganization',
        summary: 'Get the organization’s settings',
        permission: 'organization:read',
        responses: {
          200: { ...anOrganization, description: 'The organization of the API key' },
        },
      },
      async ({ c, key, db }) => c.json(await getOrganization(db, key.organizationId)),
    )
    .get(
      `${path}/usage`,
      {
        operationId: 'getUsage',
        summary: 'Get the organization’s limits and what it uses of them',
        description:
          'Days are in UTC. Tokens count the documents that the service embeds, and the questions whose vectors it has fetched; your own chunks cost none. The use of many concurrent requests may appear a second later.',
        permission: 'organization:read',
        responses: { 200: { description: 'Limits and use', schema: usageSchema, example: usageExample } },
      },
      async ({ c, key, db }) => c.json(await getUsage(db, key.organizationId)),
    )
    .patch(
      path,
      {
        operationId: 'updateOrganization',
        summary: 'Update the organization’s settings',
        description:
          'With `auto_delete_done_calls`, a call moves to the trash when it is marked as done. Turning it on does not affect calls that are already done.',
        permission: 'organization:write',
        body: updateBody,
        examples: { on: { auto_delete_done_calls: true } },
        responses: {
          200: anOrganization,
        },
      },
      async ({ c, key, db, body }) => c.json(await updateOrganization(db, key.organizationId, body)),
    ).app
}
