import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];

const location = 'http://shop.internal/app/cart';
/** What the backend is asked to answer with. */
const cookie = 'a=1; Path=/app; Domain=shop.internal';
const query = new URLSearchParams({ status: '302', location, cookie });

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const get = { host, port: 8080 };
    const moved = { status: 302, backend: 'shop' };
    return [
      {
        ...get,
        path: `/?${query}`,
        expect: {
          ...moved,
          headers: { location: '/cart', 'set-cookie': 'a=1; Path=/; Domain=shop.localhost; SameSite=Lax' },
        },
      },
      { ...get, path: `/raw?${query}`, expect: { ...moved, headers: { location, 'set-cookie': cookie } } },
    ];
  }),
};
