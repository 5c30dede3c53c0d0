import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['app.localhost', 'team.app.localhost'];
const browser = { accept: 'text/html,application/xhtml+xml' };
const session = { cookie: 'theme=dark; session=open-sesame' };

export const example: Example = {
  authBackends: ['auth'],
  requests: hosts.flatMap((host): Example['requests'] => {
    const page = { host, port: 8080, path: '/mine?page=2&all=1' };
    return [
      { ...page, headers: browser, expect: { status: 302, headers: { 'cache-control': 'no-store' } } },
      { ...page, headers: { accept: 'application/json' }, expect: { status: 401, without: ['location'] } },
      { ...page, method: 'POST', headers: browser, expect: { status: 401 } },
      {
        ...page,
        headers: { ...browser, ...session, 'x-user': 'root' },
        expect: { status: 200, backend: 'app', path: page.path, sees: { 'x-user': 'ali' } },
      },
      { ...page, path: '/healthz', expect: { status: 200, backend: 'app' } },
    ];
  }),
};
