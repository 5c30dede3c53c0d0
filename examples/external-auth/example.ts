import type { Example } from '../../scripts/example/example.ts';

const orders = { host: 'api.localhost', port: 8080, path: '/orders' } as const;

export const example: Example = {
  authBackends: ['auth'],
  requests: [
    { ...orders, expect: { status: 401, headers: { 'www-authenticate': 'Bearer' } } },
    { ...orders, headers: { authorization: 'Bearer guess' }, expect: { status: 401 } },
    {
      ...orders,
      headers: { authorization: 'Bearer open-sesame' },
      expect: { status: 200, backend: 'api', sees: { 'x-user': 'ali' } },
    },
    { ...orders, path: '/public', expect: { status: 200, backend: 'api' } },
  ],
};
