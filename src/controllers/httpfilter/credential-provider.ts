import { objectKey } from '../../gateway-api/index.ts';
import type { BackendProvider } from '../../graph/engine/index.ts';
import { credentialOf } from '../../graph/filters/index.ts';

/** A filter with a credential has a backend of its own, to which nothing is sent: proxies hold the credential by it. */
export const credentialProvider: BackendProvider<'HTTPFilter'> = {
  sources: { credential: 'HTTPFilter' },
  isUnreferable: true,
  resolve: ({ namespace, name }) => ({
    fault: { reason: 'InvalidKind', message: `HTTPFilter ${namespace}/${name} is no backend` },
  }),
  keysOf: () => [],
  contentOf(key, { namespace, service, port }, { store }) {
    const filter = store.find('HTTPFilter', objectKey(namespace, service));
    const credential = filter && credentialOf(filter, store);
    if (!credential) return undefined;
    const backend = { key, kind: 'HTTPFilter', namespace, service, port, protocol: 'http1', credential } as const;
    return { backend, endpoints: { backend: key, endpoints: [] } };
  },
};
