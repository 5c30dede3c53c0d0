import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['web.localhost', 'team.web.localhost'];

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const get = { host, port: 8080, path: '/' };
    const all = { 'accept-encoding': 'gzip, br' };
    return [
      { ...get, headers: all, expect: { status: 200, headers: { 'content-encoding': 'br' } } },
      {
        ...get,
        headers: { 'accept-encoding': 'gzip' },
        expect: { status: 200, headers: { 'content-encoding': 'gzip' } },
      },
      { ...get, expect: { status: 200, backend: 'web', without: ['content-encoding'] } },
      { ...get, path: '/raw', headers: all, expect: { status: 200, backend: 'web', without: ['content-encoding'] } },
    ];
  }),
};
