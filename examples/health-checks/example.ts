import type { Example } from '../../scripts/example/example.ts';

const cart = { host: 'cart.localhost', port: 8080, path: '/' } as const;

export const example: Example = {
  requests: [
    // Requests without a user are balanced over all endpoints; a user stays with one.
    { ...cart, repeat: 60, expect: { status: 200, backend: 'cart', endpoints: 3 } },
    { ...cart, repeat: 30, headers: { 'x-user': 'ada' }, expect: { status: 200, backend: 'cart', endpoints: 1 } },
    // The endpoint dies half-way without notice to the gateway: its user loses no request.
    {
      ...cart,
      repeat: 60,
      headers: { 'x-user': 'ada' },
      stopsEndpoint: true,
      expect: { status: 200, backend: 'cart' },
    },
    // From then on the other two do the work.
    { ...cart, repeat: 60, expect: { status: 200, backend: 'cart', endpoints: 2 } },
    // An answer that takes longer than the policy allows.
    { ...cart, path: '/?delay=5000', expect: { status: 504 } },
  ],
};
