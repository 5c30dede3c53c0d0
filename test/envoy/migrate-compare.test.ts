import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { ingressOf } from '../support/ingress-model.ts';
import { startNginx } from '../support/nginx.ts';
import { fileFor } from '../support/program.ts';
import { backendObjects, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// The explanations of a comparison, against a real nginx and a real Envoy: what they name is what these two do.

const corsHeaders = [
  'Access-Control-Allow-Origin $http_origin',
  'Access-Control-Allow-Credentials true',
  'Access-Control-Allow-Methods "GET, OPTIONS"',
  'Access-Control-Allow-Headers "X-One, X-Two"',
  'Access-Control-Max-Age 60',
]
  .map((header) => `add_header ${header};`)
  .join(' ');

/** As the controller writes them: a Prefix path is two locations, and a redirect to HTTPS cuts one slash. */
const servers = `
server { listen $PORT default_server; server_name _; location / { return 404; } }
server {
  listen $PORT; server_name shop.test;
  location = /shop { return 200; }
  location /shop/ { return 200; }
  location / { return 404; }
}
server {
  listen $PORT; server_name secure.test;
  location / { if ($request_uri ~ "^(.*?)/?$") { return 308 https://secure.test$1; } }
}
server {
  listen $PORT; server_name cors.test;
  location / {
    set $cors "";
    if ($http_origin ~* (https://x\\.test)$) { set $cors "true"; }
    if ($request_method = OPTIONS) { set $cors "$\{cors}options"; }
    if ($cors = "true") { ${corsHeaders} return 200; }
    if ($cors = "trueoptions") { ${corsHeaders} return 204; }
    return 200;
  }
}
server { listen $PORT; server_name ~^[\\w-]+\\.wild\\.test$; location / { return 200; } }`;

const cors = {
  'enable-cors': 'true',
  'cors-allow-origin': 'https://x.test',
  'cors-allow-methods': 'GET, OPTIONS',
  'cors-allow-headers': 'X-One, X-Two',
  'cors-max-age': '60',
};

const ingresses = [
  ingressOf({ name: 'cors', host: 'cors.test', annotations: cors, paths: { '/': 'shop' } }),
  ingressOf({ name: 'shop', host: 'shop.test', paths: { '/shop': 'shop' } }),
  ingressOf({ name: 'secure', host: 'secure.test', tls: ['secure.test'], paths: { '/': 'shop' } }),
  ingressOf({ name: 'wild', host: '*.wild.test', paths: { '/': 'shop' } }),
];

interface Report {
  readonly asked: number;
  readonly different: readonly {
    readonly request: { readonly method: string; readonly host: string; readonly target: string };
    readonly unexplained: boolean;
    readonly differences: readonly { readonly code: string | null }[];
  }[];
}

test('what nginx and Envoy answer in another way is explained, and nothing else is', async (t) => {
  t.timeout(600_000);
  const gatewright = await startStandalone();
  t.teardown(() => gatewright.stop());
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  t.teardown(() => server.close());
  await once(server, 'listening');
  const redirect = { type: 'RequestRedirect', requestRedirect: { scheme: 'https', port: 443, statusCode: 308 } };
  const corsFilter = {
    type: 'CORS',
    cors: {
      allowOrigins: ['https://x.test'],
      allowMethods: ['GET', 'OPTIONS'],
      allowHeaders: ['X-One', 'X-Two'],
      allowCredentials: true,
      maxAge: 60,
    },
  };
  const toShop = { backendRefs: [{ name: 'shop', port: 80 }] };
  gatewright.write(
    'routes.yaml',
    ...backendObjects('shop', (server.address() as AddressInfo).port),
    routeObject('shop', 'shop.test', [{ matches: [{ path: { type: 'PathPrefix', value: '/shop' } }], ...toShop }]),
    routeObject('secure', 'secure.test', [{ filters: [redirect] }]),
    routeObject('cors', 'cors.test', [{ filters: [corsFilter], ...toShop }]),
    routeObject('wild', '*.wild.test', [toShop]),
  );
  await untilFits(
    'the routes to be served',
    () => gatewright.get('a.wild.test'),
    ({ status }) => status === 200,
  );
  const nginx = await startNginx(t, servers);
  const file = fileFor(t, ingresses.map((ingress) => stringify(ingress)).join('---\n'), 'ingresses.yaml');
  const addresses = ['--from', `127.0.0.1:${nginx.port}:1`, '--to', `127.0.0.1:${gatewright.port}:1`];
  const limits = ['--rate', '200', '--timeout', '60', '-o', 'json'];
  const { code, stdout, stderr } = await runCommand([
    ...['migrate', 'compare', ...addresses, '-f', file, '--class', 'nginx', ...limits],
  ]);
  const { different, asked } = JSON.parse(stdout) as Report;
  const unexplained = different.filter((each) => each.unexplained);
  t.deepEqual(unexplained, [], stderr);
  t.is(code, 0);
  t.true(asked > 50, String(asked));
  const codes = new Set(different.flatMap(({ differences }) => differences.map((each) => each.code)));
  for (const known of [
    'escaped-slash',
    'trailing-slash',
    'wildcard-depth',
    'options',
    'other-preflight',
    'cors-on-every-answer',
  ])
    t.true(codes.has(known), known);
});
