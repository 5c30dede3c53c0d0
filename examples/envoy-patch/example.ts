import type { Example } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080, path: '/' } as const;

export const example: Example = {
  envoyPatches: true,
  requests: [
    { ...shop, headers: { 'x-user': 'ann' }, expect: { status: 200, backend: 'shop', sees: { 'x-user': 'ann' } } },
  ],
};
