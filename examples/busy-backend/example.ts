import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];

const chunked = { 'transfer-encoding': 'chunked' };

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const post = { host, port: 8080, method: 'POST', path: '/', headers: chunked };
    const served = { status: 200, backend: 'shop' };
    return [
      // A request without a length gets one when it is complete.
      { ...post, bodyBytes: 1000, expect: { ...served, sees: { 'content-length': '1000' } } },
      { ...post, bodyBytes: 1001, expect: { status: 413 } },
      { ...post, path: '/stream', bodyBytes: 1001, expect: { ...served, sees: chunked } },
    ];
  }),
};
