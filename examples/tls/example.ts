import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  // Made when the example starts, and gone with it.
  certificates: [
    { secret: 'shop-cert', hostnames: ['shop.localhost'] },
    { secret: 'default-cert', hostnames: ['*.localhost'] },
  ],
  requests: [
    {
      scheme: 'https',
      host: 'shop.localhost',
      port: 8443,
      path: '/',
      expect: { status: 200, backend: 'shop', certificate: 'shop.localhost' },
    },
    {
      scheme: 'https',
      host: 'hello.localhost',
      port: 8443,
      path: '/',
      expect: { status: 200, backend: 'hello', certificate: '*.localhost' },
    },
    // A connection opened for one listener's host is not used for the other's.
    { scheme: 'https', sni: 'hello.localhost', host: 'shop.localhost', port: 8443, path: '/', expect: { status: 421 } },
  ],
};
