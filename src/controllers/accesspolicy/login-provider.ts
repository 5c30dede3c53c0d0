import { objectKey } from '../../gateway-api/index.ts';
import type { BackendProvider } from '../../graph/engine/index.ts';
import { loginBackendOf, loginSecretsOf } from './parts/index.ts';

/** A policy by which browsers log in has a backend of its own: the host that proxies ask for tokens, with what logins are made by. */
export const loginProvider: BackendProvider<'AccessPolicy'> = {
  sources: { login: 'AccessPolicy' },
  isUnreferable: true,
  resolve: ({ namespace, name }) => ({
    fault: { reason: 'InvalidKind', message: `AccessPolicy ${namespace}/${name} is no backend` },
  }),
  keysOf: () => [],
  contentOf(key, { namespace, service }, { store }) {
    const policy = store.find('AccessPolicy', objectKey(namespace, service));
    const backend = policy && loginBackendOf(key, policy, store);
    if (!backend || !policy.spec.oidc) return undefined;
    const { value: login } = loginSecretsOf(policy.spec.oidc, policy, store);
    return { backend: { ...backend, ...(login && { login }) }, endpoints: { backend: key, endpoints: [] } };
  },
};
