import type { Example } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080 } as const;

/** The backend's query says how it shall misbehave: see scripts/example/echo-server.ts. */
export const example: Example = {
  requests: [
    { ...shop, path: '/?status=503&fail=3', expect: { status: 200, backend: 'shop' } },
    { ...shop, path: '/?status=503&fail=9', expect: { status: 503 } },
    { ...shop, path: '/?status=500&fail=1', expect: { status: 500 } },
    { ...shop, path: '/?delay=2000', expect: { status: 504 } },
  ],
};
