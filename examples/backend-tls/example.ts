import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  tlsBackends: [
    { service: 'vault', hostname: 'vault.internal', authorities: 'vault-ca' },
    { service: 'impostor', hostname: 'vault.internal', authorities: 'another-ca' },
  ],
  requests: [
    { host: 'vault.localhost', port: 8080, path: '/keys', expect: { status: 200, backend: 'vault', path: '/keys' } },
    { host: 'vault.localhost', port: 8080, path: '/impostor', expect: { status: 503 } },
  ],
};
