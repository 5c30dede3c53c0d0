import type { Example } from '../../scripts/example/example.ts';

const cart = { host: 'cart.localhost', port: 8080, path: '/' } as const;

export const example: Example = {
  requests: [
    // A client that keeps the cookie stays with one endpoint; other clients are balanced over all.
    { ...cart, repeat: 30, keepsCookies: true, expect: { status: 200, backend: 'cart', endpoints: 1 } },
    { ...cart, repeat: 60, expect: { status: 200, backend: 'cart', endpoints: 3 } },
    // A forged cookie is no error, and selects no endpoint.
    {
      ...cart,
      repeat: 60,
      headers: { cookie: 'cart=AAAAAAAAAAAAAAAAAAAAAA' },
      expect: { status: 200, backend: 'cart', endpoints: 3 },
    },
    // The endpoint dies half-way: its client moves to another one, loses no request, and stays there.
    {
      ...cart,
      repeat: 30,
      keepsCookies: true,
      stopsEndpoint: true,
      expect: { status: 200, backend: 'cart', endpoints: 2 },
    },
  ],
};
