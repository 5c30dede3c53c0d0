import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];
const from = (address: string) => ({ 'x-forwarded-for': address });

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const orders = { host, port: 8080, path: '/orders' };
    const admin = { ...orders, path: '/admin' };
    return [
      { ...orders, headers: from('203.0.113.7'), expect: { status: 200, backend: 'shop' } },
      { ...orders, headers: from('198.51.100.7'), expect: { status: 403 } },
      { ...orders, headers: from('2001:db8:bad::7'), expect: { status: 403 } },
      // What a client writes itself is in front of what the proxy adds, and does not count.
      { ...orders, headers: from('203.0.113.7, 198.51.100.7'), expect: { status: 403 } },
      { ...admin, headers: from('192.0.2.7'), expect: { status: 200, backend: 'shop' } },
      { ...admin, headers: from('192.0.2.66'), expect: { status: 403 } },
      { ...admin, headers: from('203.0.113.7'), expect: { status: 403 } },
    ];
  }),
};
