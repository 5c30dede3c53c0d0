import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/',
      headers: { 'x-canary': 'always' },
      expect: { status: 200, backend: 'shop-v2' },
    },
    // 1,000 requests at 90:10: outside of 6 to 14 % once in tens of thousands of runs.
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/',
      repeat: 1000,
      expect: { status: 200, shares: { 'shop-v2': [0.06, 0.14] } },
    },
  ],
};
