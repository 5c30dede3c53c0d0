import type { Example } from '../../scripts/example/example.ts';

const shop = { scheme: 'https', host: 'shop.localhost', port: 8443, path: '/' } as const;
const older = { scheme: 'https', host: 'older.localhost', port: 8443, path: '/' } as const;

export const example: Example = {
  certificates: [
    { secret: 'shop', hostnames: ['shop.localhost'] },
    { secret: 'older', hostnames: ['older.localhost'] },
  ],
  requests: [
    { ...shop, expect: { status: 200, backend: 'shop', headers: { 'alt-svc': 'h3=":8443"; ma=86400' } } },
    { ...shop, http3: true, expect: { status: 200, backend: 'shop', sees: { 'x-forwarded-proto': 'https' } } },
    { ...older, expect: { status: 200, backend: 'shop', without: ['alt-svc'] } },
  ],
};
