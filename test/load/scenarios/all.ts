import type { Scenario } from '../scenario.ts'
import { alone } from './alone.ts'
import { greedy } from './greedy.ts'
import { ingest } from './ingest.ts'
import { burst, saturation } from './peaks.ts'
import { slowProvider } from './provider.ts'
import { steady } from './steady.ts'

/** Alone before and after, for what the machine does beside. The provider's last: the circuit breaker stays open for a while. */
export const scenarios: readonly Scenario[] = [alone, steady, burst, greedy, saturation, ingest, alone, slowProvider]
