import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    { host: 'hello.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'hello' } },
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/cart/7',
      expect: { status: 200, backend: 'shop', sees: { 'x-section': 'cart' } },
    },
    { host: 'shop.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'hello' } },
    { host: 'shop.localhost', port: 8080, path: '/nowhere', expect: { status: 404 } },
    { host: 'other.localhost', port: 8080, path: '/', expect: { status: 404 } },
  ],
};
