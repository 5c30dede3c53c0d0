import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['web.localhost', 'team.web.localhost'];

export const example: Example = {
  requests: [
    ...hosts.flatMap((host): Example['requests'] => {
      const get = { host, port: 8080 };
      return [
        { ...get, path: '/', expect: { status: 200, backend: 'web' } },
        {
          ...get,
          path: '/?status=503',
          expect: { status: 503, headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': '64' } },
        },
        { ...get, path: '/safe?status=503', expect: { status: 503, backend: 'web' } },
        { ...get, path: '/?status=404', expect: { status: 404, backend: 'web' } },
      ];
    }),
    {
      host: 'nowhere.localhost',
      port: 8080,
      path: '/',
      expect: { status: 404, headers: { 'content-type': 'text/plain' } },
    },
  ],
};
