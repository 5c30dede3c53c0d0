import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/api/v2/items?id=7',
      expect: { status: 200, backend: 'shop', path: '/items?id=7', sees: { host: 'internal.shop' } },
    },
    { host: 'shop.localhost', port: 8080, path: '/api/v2', expect: { status: 200, backend: 'shop', path: '/' } },
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/old/page?x=1',
      expect: { status: 301, headers: { location: 'http://shop.localhost:8080/new/page?x=1' } },
    },
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/login?x=1',
      expect: { status: 301, headers: { location: 'https://shop.localhost/login?x=1' } },
    },
  ],
};
