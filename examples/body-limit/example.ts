import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['web.localhost', 'team.web.localhost'];

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const post = { host, port: 8080, method: 'POST', path: '/' };
    const upload = { ...post, path: '/upload' };
    return [
      { ...post, bodyBytes: 1000, expect: { status: 200, backend: 'web' } },
      { ...post, bodyBytes: 1001, expect: { status: 413 } },
      { ...upload, bodyBytes: 1001, expect: { status: 200, backend: 'web' } },
    ];
  }),
};
