import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  ingress: true,
  requests: [
    { host: 'hello.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'hello' } },
    { host: 'one.hello.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'hello' } },
    { host: 'two.one.hello.localhost', port: 8080, path: '/', expect: { status: 404 } },
    {
      host: 'hello.localhost',
      port: 8080,
      path: '/shop/cart',
      expect: { status: 200, backend: 'shop', path: '/shop/cart', sees: { host: 'shop.internal' } },
    },
    { host: 'hello.localhost', port: 8080, path: '/admin/users', expect: { status: 503 } },
    { host: 'other.localhost', port: 8080, path: '/', expect: { status: 404 } },
  ],
};
