import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  // Made when the example starts, and gone with it.
  certificates: [{ secret: 'edge-cert', hostnames: ['edge.localhost', 'mail.localhost', 'shop.localhost'] }],
  streams: { bank: { tls: ['bank.localhost'] }, mail: 'tcp' },
  requests: [
    { stream: 'tls', sni: 'bank.localhost', port: 8443, expect: { backend: 'bank', certificate: 'bank.localhost' } },
    { stream: 'tls', sni: 'mail.localhost', port: 8443, expect: { backend: 'mail', certificate: 'edge.localhost' } },
    {
      scheme: 'https',
      host: 'shop.localhost',
      port: 8443,
      path: '/',
      expect: { status: 200, backend: 'shop', certificate: 'edge.localhost' },
    },
    // A name without a route: closed before a handshake.
    { stream: 'tls', sni: 'unknown.localhost', port: 8443, expect: {} },
  ],
};
