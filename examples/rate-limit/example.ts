import type { Example } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080 } as const;
const search = (user: string) => ({ ...shop, path: '/search', headers: { 'x-user': user } });
const order = { ...shop, path: '/orders', method: 'POST' } as const;
const served = { status: 200, backend: 'shop' } as const;
const rejected = { status: 429 } as const;

export const example: Example = {
  requests: [
    { ...search('ann'), expect: served },
    { ...search('ann'), expect: served },
    { ...search('ann'), expect: rejected },
    // Another user has a bucket of his own.
    { ...search('bob'), expect: served },
    { ...order, expect: served },
    { ...order, expect: served },
    { ...order, expect: served },
    { ...order, expect: rejected },
    // Reading orders does not count.
    { ...shop, path: '/orders', expect: served },
  ],
};
