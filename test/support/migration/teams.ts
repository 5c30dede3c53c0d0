import type { IngressRow } from './company.ts';

const issuer = { 'cert-manager.io/cluster-issuer': 'letsencrypt' };
const dns = { 'external-dns.alpha.kubernetes.io/ttl': '60' };
const login = {
  'auth-url': 'http://sso.platform.svc.cluster.local/oauth2/auth?allowed_groups=staff',
  'auth-signin': 'https://login.example.com/start?rd=$scheme://$host$escaped_request_uri',
  'auth-response-headers': 'X-User, X-Team',
};
const office = { 'whitelist-source-range': '127.0.0.0/8,10.0.0.0/8' };
const elsewhere = { 'whitelist-source-range': '192.0.2.0/24' };

/** The shop: one host with many paths, canaries, sessions, limits. */
const shop: readonly IngressRow[] = [
  {
    at: 'shop/storefront',
    hosts: ['shop.example.com'],
    paths: { '/': 'storefront' },
    tls: 'shop-tls',
    foreign: { ...issuer, ...dns },
    notes: { affinity: 'cookie', 'session-cookie-name': 'route', 'session-cookie-max-age': '3600' },
  },
  { at: 'shop/cart', hosts: ['shop.example.com'], paths: { '/cart': 'cart' }, tls: 'shop-tls' },
  {
    at: 'shop/checkout',
    hosts: ['shop.example.com'],
    paths: { '/checkout': 'checkout' },
    tls: 'shop-tls',
    notes: { 'limit-rps': '50', 'limit-burst-multiplier': '4', 'proxy-body-size': '64k' },
  },
  {
    at: 'shop/checkout-next',
    hosts: ['shop.example.com'],
    paths: { '/checkout': 'checkout-next' },
    notes: { canary: 'true', 'canary-by-header': 'x-next', 'canary-weight': '10' },
  },
  {
    at: 'shop/search',
    hosts: ['search.example.com'],
    paths: { '/': 'search:http' },
    notes: { 'proxy-read-timeout': '120', 'proxy-next-upstream': 'error timeout http_503', 'load-balance': 'ewma' },
  },
  {
    at: 'shop/search-canary',
    hosts: ['search.example.com'],
    paths: { '/': 'search-next' },
    notes: { canary: 'true', 'canary-by-cookie': 'try-search' },
  },
  {
    at: 'shop/images',
    hosts: ['img.example.com'],
    paths: { '/': 'images' },
    notes: { 'enable-cors': 'true', 'cors-allow-origin': 'https://shop.example.com', 'limit-rate': '512' },
  },
  {
    at: 'shop/old-shop',
    hosts: ['old-shop.example.com'],
    paths: { '/': 'storefront' },
    notes: { 'permanent-redirect': 'https://shop.example.com/' },
  },
  {
    at: 'shop/sale',
    hosts: ['sale.example.com'],
    paths: { '/': 'storefront' },
    notes: { 'temporal-redirect': 'https://shop.example.com/sale' },
  },
  { at: 'shop/home', hosts: ['home.example.com'], paths: { '/': 'storefront' }, notes: { 'app-root': '/welcome' } },
  {
    at: 'shop/www',
    hosts: ['brand.example.com'],
    paths: { '/': 'storefront' },
    notes: { 'from-to-www-redirect': 'true' },
  },
  { at: 'shop/partners', hosts: ['*.partners.example.com'], paths: { '/': 'partners' } },
];

/** The API: expressions, rewrites and who may come in. */
const api: readonly IngressRow[] = [
  {
    at: 'api/v1',
    hosts: ['api.example.com'],
    paths: { 'ImplementationSpecific /v1(/|$)(.*)': 'v1' },
    tls: 'api-tls',
    foreign: issuer,
    notes: { 'use-regex': 'true', 'rewrite-target': '/$2' },
  },
  {
    at: 'api/v2',
    hosts: ['api.example.com'],
    paths: { 'ImplementationSpecific /v2(/|$)(.*)': 'v2' },
    tls: 'api-tls',
    notes: { 'use-regex': 'true', 'rewrite-target': '/$2', 'x-forwarded-prefix': '/v2' },
  },
  { at: 'api/health', hosts: ['api.example.com'], paths: { 'Exact /healthz': 'v2' }, tls: 'api-tls' },
  { at: 'api/users', hosts: ['users.example.com'], paths: { '/': 'users' }, tls: 'api-tls', notes: login },
  { at: 'api/users-public', hosts: ['users.example.com'], paths: { '/public': 'users' }, tls: 'api-tls' },
  { at: 'api/admin', hosts: ['admin.example.com'], paths: { '/': 'admin' }, notes: { ...office, ...login } },
  { at: 'api/closed', hosts: ['closed.example.com'], paths: { '/': 'admin' }, notes: elsewhere },
  {
    at: 'api/either',
    hosts: ['either.example.com'],
    paths: { '/': 'admin' },
    notes: { ...elsewhere, ...login, satisfy: 'any' },
  },
  {
    at: 'api/passwords',
    hosts: ['passwords.example.com'],
    paths: { '/': 'users' },
    notes: { 'auth-type': 'basic', 'auth-secret': 'passwords', 'auth-realm': 'Staff' },
  },
  {
    at: 'api/upload',
    hosts: ['upload.example.com'],
    paths: { '/': 'upload' },
    notes: { 'proxy-body-size': '8m', 'proxy-send-timeout': '300', 'proxy-request-buffering': 'off' },
  },
  {
    at: 'api/reports',
    hosts: ['reports.example.com'],
    paths: { '/': 'reports' },
    notes: { 'custom-http-errors': '404,503', 'default-backend': 'errors' },
  },
  { at: 'api/errors', hosts: ['errors.example.com'], paths: { '/': 'errors' } },
  {
    at: 'api/legacy',
    hosts: ['legacy.example.com'],
    paths: { '/legacy': 'legacy' },
    notes: { 'rewrite-target': '/', 'upstream-vhost': 'legacy.internal' },
  },
  {
    at: 'api/hashed',
    hosts: ['hashed.example.com'],
    paths: { '/': 'v2' },
    notes: { 'upstream-hash-by': '$remote_addr' },
  },
];

/** The platform's own: dashboards of charts. */
const platform: readonly IngressRow[] = [
  { at: 'platform/sso', hosts: ['login.example.com'], paths: { '/': 'sso' }, tls: 'platform-tls', foreign: issuer },
  {
    at: 'platform/grafana',
    hosts: ['grafana.example.com'],
    paths: { '/': 'grafana' },
    tls: 'platform-tls',
    foreign: issuer,
  },
  {
    at: 'platform/prometheus',
    hosts: ['prometheus.example.com'],
    paths: { '/': 'prometheus' },
    tls: 'platform-tls',
    notes: login,
  },
  {
    at: 'platform/registry',
    hosts: ['registry.example.com'],
    paths: { '/': 'registry' },
    tls: 'platform-tls',
    notes: { 'proxy-body-size': '0', 'proxy-read-timeout': '900', 'proxy-send-timeout': '900' },
  },
  {
    at: 'platform/git',
    hosts: ['git.example.com'],
    paths: { '/': 'git' },
    tls: 'platform-tls',
    notes: { 'proxy-body-size': '512m', 'proxy-buffering': 'off' },
  },
  {
    at: 'platform/argo',
    hosts: ['argo.example.com'],
    paths: { '/': 'argo' },
    tls: 'platform-tls',
    notes: { 'force-ssl-redirect': 'true' },
  },
  {
    at: 'platform/jenkins',
    hosts: ['jenkins.example.com'],
    paths: { '/': 'jenkins' },
    notes: { 'proxy-connect-timeout': '3', 'proxy-max-temp-file-size': '0' },
  },
  {
    at: 'platform/kibana',
    hosts: ['kibana.example.com'],
    paths: { '/': 'kibana' },
    notes: { ...login, 'auth-always-set-cookie': 'true' },
  },
  {
    at: 'platform/vault',
    hosts: ['vault.example.com'],
    paths: { '/': 'vault' },
    notes: { ...office, 'denylist-source-range': '10.66.0.0/16' },
  },
  {
    at: 'platform/status',
    hosts: ['status.example.com'],
    paths: { '/': 'status' },
    notes: { 'server-alias': 'up.example.com' },
  },
  {
    at: 'platform/challenge',
    hosts: ['shop.example.com'],
    paths: { 'ImplementationSpecific /.well-known/acme-challenge/token': 'solver' },
  },
  {
    at: 'platform/mirror',
    hosts: ['mirror.example.com'],
    paths: { '/': 'status' },
    notes: { 'mirror-target': 'http://jenkins.platform.svc.cluster.local$request_uri' },
  },
];

/** Tenants: the same chart, again and again. */
const tenants: readonly IngressRow[] = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron'].flatMap(
  (name): readonly IngressRow[] => [
    {
      at: `tenants/${name}`,
      hosts: [`${name}.apps.example.com`],
      paths: { '/': `${name}-web`, '/api': `${name}-api` },
      tls: 'apps-tls',
    },
    {
      at: `tenants/${name}-files`,
      hosts: [`${name}.apps.example.com`],
      paths: { '/files': `${name}-web` },
      tls: 'apps-tls',
      notes: { 'proxy-body-size': '20m', 'limit-connections': '20' },
    },
  ],
);

/** What old teams left behind: odd orders, slashes, doubles. */
const old: readonly IngressRow[] = [
  { at: 'old/slashes', hosts: ['old.example.com'], paths: { '/docs/': 'docs', '/': 'old' } },
  { at: 'old/double', hosts: ['old.example.com'], paths: { '/docs/': 'double' } },
  { at: 'old/capitals', hosts: ['capitals.example.com'], paths: { '/Reports': 'old', '/reports': 'docs' } },
  { at: 'old/wide', hosts: ['wide.example.com'], paths: { '/a': 'old', '/a/b': 'docs', 'Exact /a/b/c': 'double' } },
  { at: 'old/fallback', hosts: ['fallback.example.com'], paths: { '/only': 'old' }, defaultBackend: 'docs' },
  { at: 'old/full', hosts: ['full.example.com'], paths: { '/old': 'old' }, notes: { 'rewrite-target': '/new' } },
];

/** All of it. */
export const company: readonly IngressRow[] = [...shop, ...api, ...platform, ...tenants, ...old];
