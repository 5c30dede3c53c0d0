import type { Example } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080 } as const;
const served = { status: 200, backend: 'shop' } as const;

export const example: Example = {
  modules: true,
  requests: [
    {
      ...shop,
      path: '/',
      headers: { 'x-tenant': 'a' },
      expect: { ...served, headers: { 'x-tenant-of': '{"plan":"trial"}' } },
    },
    { ...shop, path: '/', expect: { status: 400 } },
    // Another rule, for which no policy is.
    { ...shop, path: '/health', expect: { ...served, without: ['x-tenant-of'] } },
  ],
};
