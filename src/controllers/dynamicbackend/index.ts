import { objectKey } from '../../gateway-api/index.ts';
import { type Change, type Edge, type KindModule, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import { backendOf, keyOfDynamicBackend, resolveDynamicBackend, resolveReferences } from './dynamic-backend.ts';
import { dynamicBackendConditions } from './status.ts';

const edges = {
  authority: {
    to: { ConfigMap: (key) => key },
    targets: ({ metadata, spec }) =>
      (spec.tls?.caCertificateRefs ?? []).map(({ name }) => objectKey(metadata.namespace ?? '', name)),
    marks: (source, { dirty, store }) => {
      const object = store.find('DynamicBackend', source);
      dirty.markStatus('DynamicBackend', source);
      if (object) dirty.backends.add(keyOfDynamicBackend(object));
    },
  },
} as const satisfies Record<string, Edge<'DynamicBackend'>>;

function markDynamicBackend(change: Change<'DynamicBackend'>, marking: Marking): void {
  marking.dirty.markStatus('DynamicBackend', change.key);
  for (const object of versionsOf(change)) marking.dirty.backends.add(keyOfDynamicBackend(object));
  markRoutesTo(change.key, marking);
}

export const dynamicBackendModule: KindModule<'DynamicBackend'> = {
  about: {
    category: 'backend',
    description: 'Servers outside the cluster that requests name themselves',
    writable: true,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges,
  marks: markDynamicBackend,
  status: {
    shape: 'conditions',
    of: (object, _key, { store }) => ({ conditions: dynamicBackendConditions(object, store) }),
  },
  provider: {
    sources: { dynamic: 'DynamicBackend' },
    resolve: resolveDynamicBackend,
    keysOf: (object) => [keyOfDynamicBackend(object)],
    // What is reached through a listener within the proxy has no endpoints to be sent.
    contentOf(key, { namespace, service }, { store }) {
      const object = store.find('DynamicBackend', objectKey(namespace, service));
      const backend = object && backendOf(key, object, store);
      return backend && { backend, endpoints: { backend: key, endpoints: [] } };
    },
    hostFaultOf({ namespace, service }, store) {
      const object = store.find('DynamicBackend', objectKey(namespace, service));
      return object && resolveReferences(object, store).acceptFault;
    },
  },
};
