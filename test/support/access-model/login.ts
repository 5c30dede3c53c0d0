import type { Policy } from './world.ts';

/** A login at a provider that is never asked: no request of the model has what it gives. */
export const oidc: NonNullable<Policy['spec']['oidc']> = {
  endpoints: { authorization: 'https://id.test/auth', token: 'https://id.test/token' },
  client: { id: 'gw', secretRef: { name: 'oidc' } },
  backendRef: { name: 'auth', port: 80 },
};
