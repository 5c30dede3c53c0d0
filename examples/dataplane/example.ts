import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/basket?secret=1',
      headers: { 'x-request-id': 'one' },
      expect: { status: 200, backend: 'shop' },
    },
  ],
};
