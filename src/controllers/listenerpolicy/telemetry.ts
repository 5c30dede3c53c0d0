import type { EdgeIndexes, Store } from '../../graph/engine/index.ts';
import type { ResolvedSettings } from '../../graph/model/index.ts';
import { telemetryOf, telemetryPolicyOf } from '../policies/index.ts';

/** Of listeners without a ListenerPolicy. */
const nothing: ResolvedSettings = { policy: '', port: {}, backends: [], faults: [], referenceFaults: [] };

/** The spans that the Gateway API's own policy wants for a Gateway; undefined: none. */
export function telemetryAt(gateway: string, edges: EdgeIndexes, store: Store): Telemetry | undefined {
  const policy = telemetryPolicyOf(gateway, edges, store);
  const tracing = policy && telemetryOf(policy, store).tracing;
  return tracing && new Telemetry(tracing);
}

type Tracing = NonNullable<NonNullable<ResolvedSettings['client']>['tracing']>;

class Telemetry {
  readonly #tracing: Tracing;
  /** Settings are compared by identity: what listeners share stays one object. */
  readonly #known = new Map<ResolvedSettings, ResolvedSettings>();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** A ListenerPolicy that says something of spans is more specific. */
  with(settings: ResolvedSettings = nothing): ResolvedSettings {
    const known = this.#known.get(settings) ?? this.#added(settings);
    this.#known.set(settings, known);
    return known;
  }

  #added(settings: ResolvedSettings): ResolvedSettings {
    if (settings.client?.tracing) return settings;
    return {
      ...settings,
      client: { ...settings.client, tracing: this.#tracing },
      backends: [...settings.backends, this.#tracing.receiver.backend],
    };
  }
}
