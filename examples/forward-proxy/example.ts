import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['egress.localhost', 'team.egress.localhost'];

export const example: Example = {
  allowedAddresses: ['127.0.0.1/32'],
  requests: hosts.flatMap((host): Example['requests'] => {
    const request = { host, port: 8080 };
    return [
      {
        ...request,
        path: '/to/127.0.0.1/orders?page=2',
        expect: { status: 200, backend: 'partner', path: '/orders?page=2', sees: { host: '127.0.0.1' } },
      },
      { ...request, path: '/to/127.0.0.2/orders', expect: { status: 403 } },
      { ...request, path: '/to/127.0.0.1:22/', expect: { status: 403 } },
      { ...request, path: '/orders', expect: { status: 404 } },
    ];
  }),
};
