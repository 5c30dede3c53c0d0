import type { BackendProvider } from '../../graph/engine/index.ts';
import { contentOfXBackend } from './content.ts';
import { hostFaultOfXBackend, keyOfXBackend, resolveXBackend } from './x-backend.ts';

/** An XBackend: Pods that it selects, or a host outside. */
export const xBackendProvider: BackendProvider<'XBackend'> = {
  sources: { pods: 'XBackend', external: 'XBackend' },
  resolve: resolveXBackend,
  keysOf: (object) => [keyOfXBackend(object)],
  contentOf: (key, parts, { store }) => contentOfXBackend(key, parts, store),
  reportsUse: true,
  hostFaultOf({ namespace, service }, store) {
    const object = store.find('XBackend', `${namespace}/${service}`);
    return object && hostFaultOfXBackend(object, store);
  },
  sessionOf({ namespace, service: name }, store) {
    const spec = store.find('XBackend', `${namespace}/${name}`)?.spec.sessionPersistence;
    return spec && { spec, source: { kind: 'XBackend', namespace, name } };
  },
};
