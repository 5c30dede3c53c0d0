import type { KindModule } from '../../graph/engine/index.ts';
import { versionsOf } from '../../graph/engine/index.ts';
import { markTelemetry, telemetryEdges, telemetryTargets } from '../policies/index.ts';
import { telemetryConditions } from './status.ts';

/** What it says of spans takes effect with the settings of listeners, which are those of ListenerPolicies. */
export const xTelemetryPolicyModule: KindModule<'XTelemetryPolicy'> = {
  about: {
    category: 'policy',
    description: 'Spans of the requests of a Gateway',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: telemetryEdges,
  marks(change, marking) {
    marking.dirty.markStatus('XTelemetryPolicy', change.key);
    for (const policy of versionsOf(change)) markTelemetry(policy, marking);
  },
  attached: telemetryTargets,
  status: { shape: 'ancestors', of: (policy, _key, context) => telemetryConditions(policy, context) },
};
