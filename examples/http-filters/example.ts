import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['web.localhost', 'team.web.localhost'];

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const get = { host, port: 8080, path: '/' };
    return [
      {
        ...get,
        path: '/users/12/orders?page=2',
        expect: {
          status: 200,
          backend: 'web',
          path: '/u/12/orders?page=2',
          sees: { 'x-asked': 'GET /users/12/orders?page=2' },
          headers: { 'cache-control': 'no-store' },
        },
      },
      {
        ...get,
        path: '/old-shop/cart',
        expect: { status: 410, headers: { 'content-type': 'application/json', 'cache-control': 'max-age=3600' } },
      },
      {
        ...get,
        path: '/old-pages/cart.php?a=b',
        expect: { status: 301, headers: { location: `http://${host}:8080/cart?a=b` } },
      },
      {
        ...get,
        path: '/tenants/ann/cart',
        expect: { status: 200, backend: 'web', sees: { host: 'ann.internal', 'x-forwarded-host': `${host}:8080` } },
      },
      {
        ...get,
        path: '/stock',
        headers: { authorization: 'Basic YTpi' },
        expect: { status: 200, backend: 'web', sees: { authorization: 'Bearer 91c7-example-token-of-stock' } },
      },
      { ...get, headers: { cookie: 'a=b; beta=1' }, expect: { status: 200, backend: 'beta' } },
      { ...get, expect: { status: 200, backend: 'web', path: '/', without: ['x-content'] } },
    ];
  }),
};
