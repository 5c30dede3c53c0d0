import { objectKey } from '../../../gateway-api/index.ts';
import type { BackendProvider } from '../../../graph/engine/index.ts';
import { codeOf } from './module.ts';

/** A policy with a module has a backend of its own, to which nothing is sent: proxies hold the module by it. */
export const moduleProvider: BackendProvider<'ExtensionPolicy'> = {
  sources: { module: 'ExtensionPolicy' },
  isUnreferable: true,
  resolve: ({ namespace, name }) => ({
    fault: { reason: 'InvalidKind', message: `ExtensionPolicy ${namespace}/${name} is no backend` },
  }),
  keysOf: () => [],
  contentOf(key, { namespace, service, port }, { store }) {
    const policy = store.find('ExtensionPolicy', objectKey(namespace, service));
    const code = policy?.spec.wasm && store.userCode.wasm ? codeOf(policy, policy.spec.wasm, store) : undefined;
    if (!code || !('digest' in code)) return undefined;
    const backend = {
      key,
      kind: 'ExtensionPolicy',
      namespace,
      service,
      port,
      protocol: 'http1',
      module: code,
    } as const;
    return { backend, endpoints: { backend: key, endpoints: [] } };
  },
};
