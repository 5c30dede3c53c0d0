import type { Example } from '../../scripts/example/example.ts';

const orders = { host: 'shop.localhost', port: 8080, path: '/orders' } as const;
const key = { 'x-api-key': '4f0a-example-key-of-web' };

export const example: Example = {
  requests: [
    { ...orders, expect: { status: 401 } },
    { ...orders, headers: { 'x-api-key': 'guess' }, expect: { status: 401 } },
    { ...orders, headers: key, expect: { status: 200, backend: 'shop', sees: { 'x-client': 'web' } } },
    { ...orders, method: 'POST', headers: key, expect: { status: 403 } },
    { ...orders, path: '/healthz', expect: { status: 200, backend: 'shop' } },
  ],
};
