import type { Example } from '../../scripts/example/example.ts';

const at = (port: number, user: string) => ({ host: 'shop.localhost', port, path: '/', headers: { 'x-user': user } });
const served = { status: 200, backend: 'shop' } as const;
const rejected = { status: 429 } as const;

export const example: Example = {
  requests: [
    { ...at(8080, 'ann'), expect: served },
    { ...at(8081, 'ann'), expect: served },
    { ...at(8080, 'ann'), expect: served },
    { ...at(8081, 'ann'), expect: rejected },
    { ...at(8080, 'ann'), expect: rejected },
    // Another user has a bucket of his own.
    { ...at(8081, 'bob'), expect: served },
  ],
};
