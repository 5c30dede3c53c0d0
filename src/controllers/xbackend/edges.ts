import { authorityKey, bundleKey } from '../../graph/certificates/index.ts';
import {
  type Change,
  type Edge,
  type Marking,
  pairOfSelector,
  toSelectedPods,
  versionsOf,
} from '../../graph/engine/index.ts';
import { selectsPod } from './content.ts';
import { authoritiesOfXBackend, keyOfXBackend, secretOfXBackend } from './x-backend.ts';

/** What XBackends refer to. */
export const xBackendEdges = {
  secret: {
    to: { Secret: (key) => key },
    targets: (object) => {
      const secret = secretOfXBackend(object);
      return secret === undefined ? [] : [secret];
    },
    grants: true,
    marks: markXBackendOf,
  },
  authority: {
    to: { ConfigMap: (key) => key, ClusterTrustBundle: bundleKey },
    targets: (object) => authoritiesOfXBackend(object).map(authorityKey),
    marks: markXBackendOf,
  },
  pod: {
    ...toSelectedPods,
    targets: ({ metadata, spec: { endpointSelector } }) =>
      endpointSelector ? [pairOfSelector(metadata.namespace ?? '', endpointSelector.matchLabels)] : [],
    marks: (source, { dirty, store }, target) => {
      const object = store.find('XBackend', source);
      if (object && versionsOf(target as Change<'Pod'>).some((pod) => selectsPod(object, pod)))
        dirty.backends.add(keyOfXBackend(object));
    },
  },
} as const satisfies Record<string, Edge<'XBackend'>>;

function markXBackendOf(source: string, { dirty, store }: Marking): void {
  const object = store.find('XBackend', source);
  dirty.markStatus('XBackend', source);
  if (object) dirty.backends.add(keyOfXBackend(object));
}

export function markXBackend(change: Change<'XBackend'>, { dirty }: Marking): void {
  dirty.markStatus('XBackend', change.key);
  for (const object of versionsOf(change)) dirty.backends.add(keyOfXBackend(object));
}
