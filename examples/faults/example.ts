import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['web.localhost', 'team.web.localhost'];

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const get = { host, port: 8080, path: '/' };
    const failing = { 'x-fault-test': 'yes' };
    return [
      { ...get, expect: { status: 200, backend: 'web' } },
      { ...get, headers: { 'x-fault-test': 'no' }, expect: { status: 200, backend: 'web' } },
      { ...get, headers: failing, expect: { status: 503 } },
      { ...get, path: '/safe', headers: failing, expect: { status: 200, backend: 'web' } },
    ];
  }),
};
