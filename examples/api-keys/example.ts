import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];
const key = { 'x-api-key': '4f0a-example-key-of-web' };

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const orders = { host, port: 8080, path: '/orders' };
    return [
      { ...orders, expect: { status: 401 } },
      { ...orders, headers: { 'x-api-key': 'guess' }, expect: { status: 401 } },
      { ...orders, headers: key, expect: { status: 200, backend: 'shop', sees: { 'x-client': 'web' } } },
      { ...orders, method: 'POST', headers: key, expect: { status: 403 } },
      { ...orders, path: '/healthz', expect: { status: 200, backend: 'shop' } },
    ];
  }),
};
