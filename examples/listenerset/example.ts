import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  certificates: [{ secret: 'shop-cert', namespace: 'team-shop', hostnames: ['shop.localhost'] }],
  requests: [
    { host: 'platform.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'platform' } },
    { host: 'shop.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'shop' } },
    {
      scheme: 'https',
      host: 'shop.localhost',
      port: 8443,
      path: '/',
      expect: { status: 200, backend: 'shop', certificate: 'shop.localhost' },
    },
    // The younger set lost shop.localhost, and nothing else.
    { host: 'too.localhost', port: 8080, path: '/', expect: { status: 200, backend: 'too' } },
  ],
};
