import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['shop.localhost', 'team.shop.localhost'];
const password = (text: string) => ({ authorization: `Basic ${Buffer.from(`ann:${text}`).toString('base64')}` });
const ann = password('example-password-of-ann');
const key = { 'x-api-key': '91c7-example-key-of-reports' };

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const orders = { host, port: 8080, path: '/orders' };
    return [
      { ...orders, expect: { status: 401, headers: { 'www-authenticate': 'Basic realm="staff"' } } },
      { ...orders, headers: password('guess'), expect: { status: 401 } },
      { ...orders, headers: ann, expect: { status: 200, backend: 'shop', sees: { 'x-user': 'ann' } } },
      { ...orders, headers: key, expect: { status: 200, backend: 'shop', sees: { 'x-client': 'reports' } } },
      { ...orders, headers: { ...key, ...password('guess') }, expect: { status: 401 } },
    ];
  }),
};
