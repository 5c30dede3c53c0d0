import { type Change, type Edge, type KindModule, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { configMapsOf, credentialKeysOf, type HttpFilterObject, secretsOf } from '../../graph/filters/index.ts';
import { routesOfFilter } from '../../graph/routes/index.ts';
import { markLimitsOf } from '../policies/index.ts';
import { credentialProvider } from './credential-provider.ts';
import { httpFilterConditions } from './status.ts';

const kind = 'HTTPFilter';

/** The filter itself, the routes that name it, and what limits say of them. */
function markFilter(key: string, marking: Marking): void {
  marking.dirty.markStatus(kind, key);
  for (const route of routesOfFilter(key, marking)) {
    marking.dirty.routes.add(route);
    markLimitsOf(route, marking);
  }
}

/** Its credential is in a backend of its own. */
function markCredentials(filters: readonly HttpFilterObject[], { dirty }: Marking): void {
  for (const key of filters.flatMap(credentialKeysOf)) dirty.backends.add(key);
}

const edges = {
  configMap: { to: { ConfigMap: (key) => key }, targets: configMapsOf, marks: markFilter },
  secret: {
    to: { Secret: (key) => key },
    targets: secretsOf,
    grants: true,
    marks(source, marking) {
      markFilter(source, marking);
      const filter = marking.store.find(kind, source);
      if (filter) markCredentials([filter], marking);
    },
  },
} as const satisfies Record<string, Edge<typeof kind>>;

export const httpFilterModule: KindModule<typeof kind> = {
  about: {
    category: 'policy',
    description:
      'A filter of rules by ExtensionRef: answers, headers, credentials for backends, and rewrites of path and host',
    writable: true,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges,
  marks(change: Change<typeof kind>, marking) {
    markFilter(change.key, marking);
    markCredentials(versionsOf(change), marking);
  },
  status: {
    shape: 'conditions',
    of: (filter, _key, context) => ({ conditions: httpFilterConditions(filter, context) }),
  },
  provider: credentialProvider,
};
