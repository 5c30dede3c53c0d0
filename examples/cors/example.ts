import type { Example } from '../../scripts/example/example.ts';

const preflight = { method: 'OPTIONS', host: 'api.localhost', port: 8080, path: '/orders' } as const;
const asked = { 'access-control-request-method': 'PUT' };

export const example: Example = {
  requests: [
    {
      ...preflight,
      headers: { ...asked, origin: 'https://de.shop.example' },
      expect: {
        status: 200,
        headers: {
          'access-control-allow-origin': 'https://de.shop.example',
          'access-control-allow-methods': 'GET, PUT',
          'access-control-allow-credentials': 'true',
          'access-control-max-age': '600',
        },
      },
    },
    {
      ...preflight,
      headers: { ...asked, origin: 'https://elsewhere.example' },
      expect: { status: 200, without: ['access-control-allow-origin'] },
    },
    {
      host: 'api.localhost',
      port: 8080,
      path: '/orders',
      headers: { origin: 'https://shop.example' },
      expect: { status: 200, backend: 'api', headers: { 'access-control-allow-origin': 'https://shop.example' } },
    },
  ],
};
