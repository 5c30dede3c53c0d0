import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/basket',
      expect: { status: 200, backend: 'shop' },
    },
  ],
};
