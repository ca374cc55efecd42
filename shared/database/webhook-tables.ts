import type { Generated } from 'kysely'
import type { Id, Json, Time, TimeOrNull } from './column-types.ts'

export interface WebhookTables {
  webhooks: {
    organization_id: Id
    id: Id
    url: string
    events: string[]
    secret: Buffer
    previous_secret: Buffer | null
    previous_until: Date | null
    status: Generated<'enabled' | 'disabled'>
    disabled_reason: 'requested' | 'gone' | 'failing' | null
    failing_since: Date | null
    digested_on: Generated<string>
    created_at: Time
  }
  webhook_deliveries: {
    organization_id: Id
    webhook_id: Id
    id: Id
    number: Generated<string>
    type: string
    subject_id: Id
    data: Json
    status: Generated<'pending' | 'delivered' | 'failed'>
    attempts: Generated<number>
    next_attempt_at: TimeOrNull
    lease_token: string | null
    response_status: number | null
    error: string | null
    queued_at: Time
    delivered_at: Date | null
    created_at: Time
  }
}
