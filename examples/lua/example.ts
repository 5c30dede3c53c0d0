import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];

export const example: Example = {
  scripts: true,
  requests: hosts.flatMap((host): Example['requests'] => {
    const get = { host, port: 8080, path: '/' };
    const served = { status: 200, backend: 'shop' };
    return [
      { ...get, headers: { 'x-tenant': 'a' }, expect: { ...served, headers: { 'x-tenant-of': 'a' } } },
      { ...get, expect: { status: 400 } },
      // Another rule, for which no policy is.
      { ...get, path: '/health', expect: { ...served, without: ['x-tenant-of'] } },
    ];
  }),
};
