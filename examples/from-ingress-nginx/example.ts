import type { Example, ExampleRequest } from '../../scripts/example/example.ts';

const ask = (host: string, path: string, expect: ExampleRequest['expect'], more: Partial<ExampleRequest> = {}) => ({
  ...{ host: `${host}.localhost`, port: 8080, path, expect },
  ...more,
});
const secure = { scheme: 'https', port: 8443 } as const;
const to = (backend: string, path?: string) => ({ status: 200, backend, ...(path !== undefined && { path }) });
const session = { cookie: 'session=open-sesame' };
const ann = { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` };

export const example: Example = {
  ingresses: 'ingresses',
  certificates: [{ secret: 'shop-tls', hostnames: ['shop.localhost'] }],
  authBackends: ['sso'],
  requests: [
    ask('shop', '/', { status: 308 }),
    ask(
      'shop',
      '/',
      { ...to('storefront'), headers: { 'strict-transport-security': 'max-age=86400; includeSubDomains' } },
      secure,
    ),
    ask('shop', '/cart/1', to('cart'), secure),
    ask('shop', '/checkout', to('checkout'), secure),
    ask('shop', '/checkout', to('checkout-next'), { ...secure, headers: { 'x-next': 'always' } }),
    ask('shop', '/checkout', { status: 413 }, { ...secure, method: 'POST', bodyBytes: 2_000 }),
    ask('search', '/?q=tea', to('search', '/?q=tea')),
    ask('api', '/V1/users?a=b', to('api-v1', '/users?a=b')),
    ask('api', '/v2', to('api-v2', '/')),
    ask('api', '/other', { status: 404 }),
    ask('admin', '/', { status: 401 }),
    ask('admin', '/', { status: 302 }, { headers: { accept: 'text/html' } }),
    ask('admin', '/', { ...to('admin'), sees: { 'x-user': 'ali' } }, { headers: { ...session, 'x-user': 'root' } }),
    ask('internal', '/', to('admin')),
    ask('closed', '/', { status: 403 }),
    ask('passwords', '/', { status: 401 }),
    ask('passwords', '/', to('docs'), { headers: ann }),
    ask(
      'img',
      '/a.png',
      { ...to('images'), headers: { 'access-control-allow-origin': 'https://shop.localhost' } },
      { headers: { origin: 'https://shop.localhost' } },
    ),
    ask('upload', '/', to('upload'), { method: 'POST', bodyBytes: 100_000 }),
    ask('docs', '/guide/a', { ...to('docs'), headers: { 'x-docs-version': '7' } }),
    ask('old', '/a?b=c', { status: 301, headers: { location: 'https://shop.localhost/' } }),
    ask('sale', '/', { status: 302, headers: { location: 'https://shop.localhost/sale' } }),
    ask('home', '/', { status: 302 }),
    ask('legacy', '/legacy/a?b=c', { ...to('docs', '/new?b=c'), sees: { host: 'docs.internal' } }),
    ask('one.partners', '/', to('partners')),
    ask('up', '/', { ...to('status'), headers: { 'x-team': 'platform' } }),
  ],
};
