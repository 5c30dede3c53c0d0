import test, { type ExecutionContext } from 'ava';
import type { ModelAnswer, ModelRequest } from '../../../src/ingress/index.ts';
import { type IngressParts, modelOf } from '../../support/ingress-model.ts';

/** One request to a world, and what the real controller 1.15.1 was seen to do with it. */
interface Fact {
  readonly ingresses: readonly IngressParts[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly endpoints?: Readonly<Record<string, number>>;
  /** `METHOD URL`, or a URL that is got. */
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Partial<ModelRequest>;
  /** `STATUS LOCATION`, or `SERVICE TARGET`. */
  readonly answer: string;
  readonly rule?: ModelAnswer['rule'];
  /** On the answer. */
  readonly sets?: Readonly<Record<string, string | undefined>>;
}

function requestOf({ request, headers = {}, more = {} }: Fact): ModelRequest {
  const [, method = 'GET', scheme = 'http', host = '', target] =
    /^(?:([A-Z]+) )?(https?):\/\/([^/]*)(\/.*)?$/.exec(request) ?? [];
  return {
    method,
    scheme: scheme as 'http' | 'https',
    host,
    target: target ?? '/',
    headers: Object.entries(headers),
    ...more,
  };
}

function textOf({ status, location, forwarded }: ModelAnswer): string {
  if (forwarded) {
    const parts = forwarded.backends.map(({ service, share }) =>
      share === 1 ? service : `${share * 100}% ${service}`,
    );
    return `${parts.join(' + ')} ${forwarded.target ?? '?'}`;
  }
  return [status, location].filter((part) => part !== undefined).join(' ');
}

const fact = test.macro((t: ExecutionContext, given: Fact) => {
  const answer = modelOf(given.ingresses, given).answer(requestOf(given));
  t.is(textOf(answer), given.answer, answer.reason);
  if (given.rule) t.is(answer.rule, given.rule);
  for (const [name, value] of Object.entries(given.sets ?? {})) t.is(answer.headers[name], value, name);
});

const a = 'http://a.test';
const tls = { tls: ['a.test'] };

// Order.
const twins: readonly IngressParts[] = [
  { name: 'one', paths: { '/': 'one' } },
  { name: 'two', paths: { '/': 'two' } },
];
test('of two Ingresses of one age, the greater name takes a path', fact, {
  ingresses: twins,
  request: `${a}/`,
  answer: 'two /',
});
test('the older of two Ingresses takes a path', fact, {
  ingresses: twins.map((each, at) => ({ ...each, created: `2026-01-01T00:00:0${at}Z` })),
  request: `${a}/`,
  answer: 'one /',
});

// Types of paths.
const typed: readonly IngressParts[] = [
  {
    paths: {
      'ImplementationSpecific /impl': 'impl',
      '/foo': 'foo',
      '/bar/': 'bar',
      'Exact /exact': 'exact',
      '/foo/deep': 'deep',
    },
  },
];
test('ImplementationSpecific is Prefix', fact, { ingresses: typed, request: `${a}/impl/x`, answer: 'impl /impl/x' });
test('a Prefix path is by segments', fact, { ingresses: typed, request: `${a}/implx`, answer: '404', rule: 'no-path' });
test('a Prefix path matches itself', fact, {
  ingresses: typed,
  request: `${a}/foo`,
  answer: 'foo /foo',
  rule: 'exact-path',
});
test('a Prefix path with a slash redirects to it', fact, {
  ingresses: typed,
  request: `${a}/bar?x=1`,
  answer: '301 http://a.test/bar/?x=1',
  rule: 'slash-redirect',
});
test('a Prefix path with a slash matches below', fact, {
  ingresses: typed,
  request: `${a}/bar/x`,
  answer: 'bar /bar/x',
});
test('an Exact path matches no slash', fact, { ingresses: typed, request: `${a}/exact/`, answer: '404' });
test('an Exact path with a slash redirects to it', fact, {
  ingresses: [{ paths: { 'Exact /bar/': 'bar' } }],
  request: `${a}/bar`,
  answer: '301 http://a.test/bar/',
});
test('paths are compared by bytes', fact, {
  ingresses: [{ paths: { '/é': 'e', '/': 'root' } }],
  request: `${a}/%C3%A9/x`,
  answer: 'e /%C3%A9/x',
});
test('an empty query does not outlive a rewrite', fact, {
  ingresses: [{ annotations: { 'rewrite-target': '/new' }, paths: { '/old': 'app' } }],
  request: `${a}/old?`,
  answer: 'app /new',
});
test('a Service without endpoints is 503', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  endpoints: { app: 0 },
  request: `${a}/`,
  answer: '503',
  rule: 'no-endpoints',
});
test('a Service that does not exist is 503', fact, {
  ingresses: [{ paths: { '/': 'gone' } }],
  endpoints: { app: 1 },
  request: `${a}/`,
  answer: '503',
});
test('default-backend takes the place of a Service without endpoints', fact, {
  ingresses: [{ annotations: { 'default-backend': 'sorry' }, paths: { '/': 'app' } }],
  endpoints: { app: 0, sorry: 1 },
  request: `${a}/x`,
  answer: 'sorry /x',
});
test('an Exact path is case-sensitive', fact, { ingresses: typed, request: `${a}/Exact`, answer: '404' });
test('the longest prefix wins', fact, { ingresses: typed, request: `${a}/foo/deep/x`, answer: 'deep /foo/deep/x' });

// Expressions, which are a matter of the host.
const regex: readonly IngressParts[] = [
  {
    name: 'regex',
    annotations: { 'use-regex': 'true' },
    paths: { 'ImplementationSpecific /re/[0-9]+': 're', 'ImplementationSpecific /re/': 'any' },
  },
  { name: 'plain', paths: { 'Exact /plain': 'plain', '/pre': 'pre' } },
];
test('an expression takes what begins so', fact, { ingresses: regex, request: `${a}/re/12x`, answer: 're /re/12x' });
test('the longest expression goes first', fact, { ingresses: regex, request: `${a}/re/x`, answer: 'any /re/x' });
test('beside an expression, Exact takes longer paths', fact, {
  ingresses: regex,
  request: `${a}/plainer`,
  answer: 'plain /plainer',
  rule: 'regex-path',
});
test('beside an expression, Exact ignores case', fact, {
  ingresses: regex,
  request: `${a}/PLAIN`,
  answer: 'plain /PLAIN',
});
test('beside an expression, Prefix is not by segments', fact, {
  ingresses: regex,
  request: `${a}/prefix`,
  answer: 'pre /prefix',
});
test('another host keeps its paths', fact, {
  ingresses: [...regex, { name: 'b', host: 'b.test', paths: { 'Exact /plain': 'b' } }],
  request: 'http://b.test/plainer',
  answer: '404',
});
test('a value of use-regex that is none is ignored', fact, {
  ingresses: [{ annotations: { 'use-regex': 'yes' }, paths: { '/pre': 'pre' } }],
  request: `${a}/prefix`,
  answer: '404',
});

// Paths as they are matched and as they are forwarded.
test('matching sees the decoded path, and the backend the raw one', fact, {
  ingresses: [{ paths: { '/foo': 'foo', 'Exact /ex': 'ex' } }],
  request: `${a}/foo/%2e%2e/ex`,
  answer: 'ex /foo/%2e%2e/ex',
});
test('an escaped slash is matched as a slash', fact, {
  ingresses: [{ paths: { '/foo': 'foo', '/': 'root' } }],
  request: `${a}/foo%2Fbar`,
  answer: 'foo /foo%2Fbar',
});
test('several slashes are matched as one', fact, {
  ingresses: [{ paths: { '/foo': 'foo' } }],
  request: `${a}//foo///x`,
  answer: 'foo //foo///x',
});
test('a bad escape is malformed', fact, {
  ingresses: typed,
  request: `${a}/foo/%zz`,
  answer: '400',
  rule: 'malformed',
});
test('a path above the root is malformed', fact, { ingresses: typed, request: `${a}/foo/../../x`, answer: '400' });

// Rewrites.
const rewritten = (target: string, path: string): IngressParts[] => [
  { annotations: { 'rewrite-target': target, 'use-regex': 'true' }, paths: { [path]: 'app' } },
];
test('a rewrite replaces the whole path', fact, {
  ingresses: rewritten('/new', '/old'),
  request: `${a}/old/x?y=1`,
  answer: 'app /new?y=1',
});
test('a rewrite takes what only begins so', fact, {
  ingresses: rewritten('/new', '/old'),
  request: `${a}/older`,
  answer: 'app /new',
});
test('a rewrite has groups', fact, {
  ingresses: rewritten('/$2', 'ImplementationSpecific /app(/|$)(.*)'),
  request: `${a}/app/x/y?z`,
  answer: 'app /x/y?z',
  rule: 'rewrite',
});
test('a rewrite escapes the path again', fact, {
  ingresses: rewritten('/$2', 'ImplementationSpecific /app(/|$)(.*)'),
  request: `${a}/app/a%20b%2Fc`,
  answer: 'app /a%20b/c',
});
test('a rewrite has variables of nginx', fact, {
  ingresses: rewritten('/$host/x', '/'),
  request: `${a}/y`,
  answer: 'app /a.test/x',
});
test('an alternation takes the first that fits', fact, {
  ingresses: rewritten('/$1', 'ImplementationSpecific /alt(/a|/ab)'),
  request: `${a}/alt/abc`,
  answer: 'app //a',
});
test('a rewrite with other characters is dropped', fact, {
  ingresses: [{ annotations: { 'rewrite-target': '/a;b' }, paths: { '/old': 'app' } }],
  request: `${a}/old`,
  answer: 'app /old',
});

// HTTPS.
test('a host with a certificate redirects to HTTPS, without its last slash', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  request: `${a}/a/`,
  answer: '308 https://a.test/a',
  rule: 'https-redirect',
});
test('the root loses its slash too', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: '308 https://a.test',
});
test('the slash is cut from the query', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  request: `${a}/a?b=1/`,
  answer: '308 https://a.test/a?b=1',
});
test('preserve-trailing-slash keeps it', fact, {
  ingresses: [{ ...tls, annotations: { 'preserve-trailing-slash': 'true' }, paths: { '/': 'app' } }],
  request: `${a}/a/`,
  answer: '308 https://a.test/a/',
});
test('a host without a certificate is served over HTTP', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: 'app /',
});
test('force-ssl-redirect needs no certificate', fact, {
  ingresses: [{ annotations: { 'force-ssl-redirect': 'true' }, paths: { '/': 'app' } }],
  request: `${a}/x`,
  answer: '308 https://a.test/x',
});
test('the ConfigMap has defaults of annotations', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  settings: { 'http-redirect-code': '301', 'preserve-trailing-slash': 'true' },
  request: `${a}/x/`,
  answer: '301 https://a.test/x/',
});
test('ssl-redirect off serves over HTTP', fact, {
  ingresses: [{ ...tls, annotations: { 'ssl-redirect': 'false' }, paths: { '/': 'app' } }],
  request: `${a}/x`,
  answer: 'app /x',
});
test('a client’s X-Forwarded-Proto changes nothing', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  request: `${a}/x`,
  headers: { 'x-forwarded-proto': 'https' },
  answer: '308 https://a.test/x',
});
test('with use-forwarded-headers it does', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  settings: { 'use-forwarded-headers': 'true' },
  request: `${a}/x`,
  headers: { 'x-forwarded-proto': 'https' },
  answer: 'app /x',
});
test('a challenge is redirected where no Ingress has its path', fact, {
  ingresses: [{ ...tls, paths: { '/': 'app' } }],
  request: `${a}/.well-known/acme-challenge/token`,
  answer: '308 https://a.test/.well-known/acme-challenge/token',
});
test('a solver’s Ingress answers its challenge over HTTP', fact, {
  ingresses: [
    { ...tls, paths: { '/': 'app' } },
    { name: 'solver', paths: { 'ImplementationSpecific /.well-known/acme-challenge/token': 'solver' } },
  ],
  request: `${a}/.well-known/acme-challenge/token`,
  answer: 'solver /.well-known/acme-challenge/token',
});
const hsts = 'max-age=31536000; includeSubDomains';
test('every HTTPS answer has HSTS, without a certificate of the host too', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  request: 'https://a.test/',
  answer: 'app /',
  sets: { 'strict-transport-security': hsts },
});
test('an HTTP answer has no HSTS', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: 'app /',
  sets: { 'strict-transport-security': undefined },
});
test('hsts off sends none', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  settings: { hsts: 'false' },
  request: 'https://a.test/',
  answer: 'app /',
  sets: { 'strict-transport-security': undefined },
});

// Hosts.
const wild: readonly IngressParts[] = [{ host: '*.wild.test', paths: { '/': 'wild' } }];
test('a wildcard is one label', fact, { ingresses: wild, request: 'http://x.wild.test/', answer: 'wild /' });
test('a wildcard is no two labels', fact, {
  ingresses: wild,
  request: 'http://x.y.wild.test/',
  answer: '404',
  rule: 'unknown-host',
});
test('a trailing dot is accepted', fact, { ingresses: typed, request: 'http://a.test./foo', answer: 'foo /foo' });
test('upper case and a port are accepted', fact, {
  ingresses: typed,
  request: 'http://A.TEST:8080/foo',
  answer: 'foo /foo',
});
test('an unknown host is 404', fact, {
  ingresses: typed,
  request: 'http://z.test/foo',
  answer: '404',
  rule: 'unknown-host',
});
test('an alias is a name of the host', fact, {
  ingresses: [{ annotations: { 'server-alias': 'b.test, ~^c[0-9]+\\.test$' }, paths: { '/': 'app' } }],
  request: 'http://b.test/',
  answer: 'app /',
});
test('an alias with ~ is an expression', fact, {
  ingresses: [{ annotations: { 'server-alias': '~^c[0-9]+\\.test$' }, paths: { '/': 'app' } }],
  request: 'http://c12.test/',
  answer: 'app /',
});
test('a default backend with rules takes what its hosts leave', fact, {
  ingresses: [{ paths: { '/foo': 'foo' }, defaultBackend: 'rest' }],
  request: `${a}/other`,
  answer: 'rest /other',
});
test('a default backend with rules leaves unknown hosts alone', fact, {
  ingresses: [{ paths: { '/foo': 'foo' }, defaultBackend: 'rest' }],
  request: 'http://z.test/other',
  answer: '404',
});
test('a default backend without rules takes unknown hosts', fact, {
  ingresses: [{ paths: {}, defaultBackend: 'rest' }],
  request: 'http://z.test/other',
  answer: 'rest /other',
});

// Redirects of annotations.
test('app-root is the root’s alone, for the host', fact, {
  ingresses: [{ annotations: { 'app-root': '/app' }, paths: { '/x': 'app' } }],
  request: `${a}/?q=1`,
  answer: '302 http://a.test/app',
  rule: 'app-root',
});
test('permanent-redirect loses path and query', fact, {
  ingresses: [{ annotations: { 'permanent-redirect': 'https://b.test/new' }, paths: { '/': 'app' } }],
  request: `${a}/x?y`,
  answer: '301 https://b.test/new',
});
test('temporal-redirect goes before permanent-redirect', fact, {
  ingresses: [
    {
      annotations: { 'permanent-redirect': 'https://b.test', 'temporal-redirect': 'https://c.test' },
      paths: { '/': 'app' },
    },
  ],
  request: `${a}/`,
  answer: '302 https://c.test',
});
test('a code beyond the allowed ones is the usual one', fact, {
  ingresses: [
    {
      annotations: { 'permanent-redirect': 'https://b.test', 'permanent-redirect-code': '999' },
      paths: { '/': 'app' },
    },
  ],
  request: `${a}/`,
  answer: '301 https://b.test',
});
const www: readonly IngressParts[] = [{ annotations: { 'from-to-www-redirect': 'true' }, paths: { '/': 'app' } }];
test('from-to-www-redirect sends www away, with a slash less', fact, {
  ingresses: www,
  request: 'http://www.a.test/x/',
  answer: '308 http://a.test:80/x',
  rule: 'www-redirect',
});
test('from-to-www-redirect names the port of the controller', fact, {
  ingresses: www,
  flags: { 'https-port': '8443' },
  request: 'https://www.a.test/x',
  answer: '308 https://a.test:8443/x',
});
test('from-to-www-redirect leaves a host alone that exists', fact, {
  ingresses: [...www, { name: 'www', host: 'www.a.test', paths: { '/': 'www' } }],
  request: 'http://www.a.test/x',
  answer: 'www /x',
});

// CORS.
const cors = (origins?: string): IngressParts[] => [
  {
    annotations: { 'enable-cors': 'true', ...(origins !== undefined && { 'cors-allow-origin': origins }) },
    paths: { '/': 'app' },
  },
];
test('CORS without origins sends a star with credentials', fact, {
  ingresses: cors(),
  request: `${a}/`,
  headers: { origin: 'https://x.test' },
  answer: 'app /',
  sets: { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' },
});
test('every OPTIONS of an allowed origin is answered', fact, {
  ingresses: cors('https://x.test'),
  request: `OPTIONS ${a}/`,
  headers: { origin: 'https://x.test' },
  answer: '204',
  rule: 'cors-preflight',
  sets: { 'access-control-allow-origin': 'https://x.test' },
});
test('OPTIONS of another origin reaches the backend', fact, {
  ingresses: cors('https://x.test'),
  request: `OPTIONS ${a}/`,
  headers: { origin: 'https://y.test' },
  answer: 'app /',
  sets: { 'access-control-allow-origin': undefined },
});
test('a star in an origin is one label', fact, {
  ingresses: cors('https://*.b.test'),
  request: `OPTIONS ${a}/`,
  headers: { origin: 'https://x.y.b.test' },
  answer: 'app /',
});
test('an origin is not anchored at its start', fact, {
  ingresses: cors('https://a.test'),
  request: `OPTIONS ${a}/`,
  headers: { origin: 'https://evil-https://a.test' },
  answer: '204',
});
test('enable-cors: yes is no value', fact, {
  ingresses: [{ annotations: { 'enable-cors': 'yes' }, paths: { '/': 'app' } }],
  request: `OPTIONS ${a}/`,
  answer: 'app /',
});

// Canaries.
const canary = (annotations: Readonly<Record<string, string>>): IngressParts[] => [
  { name: 'main', paths: { '/': 'main' } },
  { name: 'new', annotations: { canary: 'true', ...annotations }, paths: { '/': 'new' } },
];
const byHeader = canary({ 'canary-by-header': 'X-New', 'canary-by-cookie': 'new', 'canary-weight': '20' });
test('a canary gets its weight', fact, {
  ingresses: byHeader,
  request: `${a}/`,
  answer: '20% new + 80% main /',
  rule: 'canary',
});
test('a canary’s header takes all', fact, {
  ingresses: byHeader,
  request: `${a}/`,
  headers: { 'x-new': 'always' },
  answer: 'new /',
});
test('never in the header beats the cookie', fact, {
  ingresses: byHeader,
  request: `${a}/`,
  headers: { 'x-new': 'never', cookie: 'new=always' },
  answer: 'main /',
});
test('another value of the header goes on to the cookie', fact, {
  ingresses: byHeader,
  request: `${a}/`,
  headers: { 'x-new': 'maybe', cookie: 'a=b; new=always' },
  answer: 'new /',
});
test('a header value alone takes it', fact, {
  ingresses: canary({ 'canary-by-header': 'x-new', 'canary-by-header-value': 'yes' }),
  request: `${a}/`,
  headers: { 'x-new': 'always' },
  answer: 'main /',
});
test('a header pattern is unanchored', fact, {
  ingresses: canary({ 'canary-by-header': 'x-new', 'canary-by-header-pattern': 'b+' }),
  request: `${a}/`,
  headers: { 'x-new': 'abc' },
  answer: 'new /',
});
test('a weight has a total', fact, {
  ingresses: canary({ 'canary-weight': '50', 'canary-weight-total': '200' }),
  request: `${a}/`,
  answer: '25% new + 75% main /',
});
test('a canary whose Service is a primary is an ordinary Ingress', fact, {
  ingresses: [
    { name: 'z', host: 'other.test', paths: { '/': 'new' } },
    { name: 'main', paths: { '/': 'main' } },
    { name: 'aa', annotations: { canary: 'true', 'canary-weight': '0' }, paths: { '/sub': 'new' } },
  ],
  request: `${a}/sub`,
  answer: 'new /sub',
});

// Errors.
test('a body above the limit is 413', fact, {
  ingresses: [{ paths: { '/': 'app' } }],
  request: `POST ${a}/`,
  more: { bodyBytes: 2 ** 20 + 1 },
  answer: '413',
  rule: 'body-size',
});
test('a limit of 0 is none', fact, {
  ingresses: [{ annotations: { 'proxy-body-size': '0' }, paths: { '/': 'app' } }],
  request: `POST ${a}/`,
  more: { bodyBytes: 2 ** 30 },
  answer: 'app /',
});
test('a URL above 8 KiB is 414', fact, { ingresses: typed, request: `${a}/${'x'.repeat(9_000)}`, answer: '414' });
test('a header above 8 KiB is 400', fact, {
  ingresses: typed,
  request: `${a}/foo`,
  headers: { x: 'x'.repeat(9_000) },
  answer: '400',
});
test('TRACE is 405', fact, { ingresses: typed, request: `TRACE ${a}/foo`, answer: '405' });

// Annotations that cannot be used.
test('a bad range closes its location', fact, {
  ingresses: [{ annotations: { 'whitelist-source-range': '10.0.0.0/99' }, paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: '503',
  rule: 'bad-annotation',
});
test('a snippet has its Ingress not served', fact, {
  ingresses: [{ annotations: { 'configuration-snippet': 'return 200;' }, paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: '404',
  rule: 'unknown-host',
});
test('a Secret of passwords that is missing closes its location', fact, {
  ingresses: [{ annotations: { 'auth-type': 'basic', 'auth-secret': 'gone' }, paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: '503',
});
test('headers that are not allowed close their location', fact, {
  ingresses: [{ annotations: { 'custom-headers': 'shop/gone' }, paths: { '/': 'app' } }],
  request: `${a}/`,
  answer: '503',
});

// Access.
const ranges: readonly IngressParts[] = [
  { annotations: { 'whitelist-source-range': '10.0.0.0/8' }, paths: { '/': 'app' } },
];
test('an address of the list comes in', fact, {
  ingresses: ranges,
  request: `${a}/`,
  more: { from: '10.1.2.3' },
  answer: 'app /',
});
test('another address is 403', fact, {
  ingresses: ranges,
  request: `${a}/`,
  more: { from: '192.0.2.1' },
  answer: '403',
  rule: 'not-allowed',
});
test('the redirect to HTTPS comes before addresses', fact, {
  ingresses: ranges.map((each) => ({ ...each, ...tls })),
  request: `${a}/`,
  more: { from: '192.0.2.1' },
  answer: '308 https://a.test',
});
test('satisfy any needs one of them', fact, {
  ingresses: [
    {
      annotations: {
        'whitelist-source-range': '10.0.0.0/8',
        'auth-type': 'basic',
        'auth-secret': 'users',
        satisfy: 'any',
      },
      secrets: ['users'],
      paths: { '/': 'app' },
    },
  ],
  request: `${a}/`,
  more: { from: '10.1.2.3' },
  answer: 'app /',
});

const asked = { method: 'GET', scheme: 'http', host: 'a.test:81', target: '/', from: '10.0.0.9' } as const;
const forwardedBy = (
  settings: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  more = {},
) =>
  modelOf([{ paths: { '/': 'app' } }], { settings }).answer({ ...asked, ...more, headers: Object.entries(headers) })
    .forwarded;

const chain = { 'x-forwarded-for': '192.0.2.1, 10.0.0.8', 'x-forwarded-proto': 'https', 'x-request-id': 'mine' };

test('the backend learns of the client what nginx knows, and not what the client says', (t) => {
  t.deepEqual(forwardedBy({}, chain)?.headers, {
    'x-real-ip': '10.0.0.9',
    'x-forwarded-for': '10.0.0.9',
    'x-forwarded-host': 'a.test:81',
    'x-forwarded-port': '80',
    'x-forwarded-proto': 'http',
    'x-forwarded-scheme': 'http',
    'x-scheme': 'http',
    'x-original-forwarded-for': '192.0.2.1, 10.0.0.8',
    'x-request-id': 'mine',
    proxy: undefined,
  });
  t.is(
    forwardedBy({ 'compute-full-forwarded-for': 'true' }, chain)?.headers['x-forwarded-for'],
    '192.0.2.1, 10.0.0.8, 10.0.0.9',
  );
});

test('with use-forwarded-headers the word of trusted proxies counts, by default that of every client', (t) => {
  const believes = { 'use-forwarded-headers': 'true' };
  const real = (settings: Readonly<Record<string, string>>, more = {}) =>
    forwardedBy({ ...believes, ...settings }, chain, more)?.headers['x-real-ip'];
  t.like(forwardedBy(believes, chain)?.headers, { 'x-real-ip': '192.0.2.1', 'x-scheme': 'https' });
  t.is(real({ 'proxy-real-ip-cidr': '10.0.0.0/8' }), '192.0.2.1');
  t.is(real({ 'proxy-real-ip-cidr': '10.0.0.9' }), '10.0.0.8', 'the first that is not trusted');
  t.is(real({ 'proxy-real-ip-cidr': '172.16.0.0/12' }), '10.0.0.9');
  t.is(real({}, { from: '2001:db8::1' }), '2001:db8::1', 'the default is of IPv4');
});

test('a request is sent on after errors, three times, and one that may change something is not', (t) => {
  const retries = (annotations: Readonly<Record<string, string>>, method = 'GET') =>
    modelOf([{ annotations, paths: { '/': 'app' } }]).answer({ ...asked, method, headers: [] }).forwarded?.retries;
  t.deepEqual(retries({}), { tries: 3, after: ['error', 'timeout'], isOnce: false });
  t.is(retries({}, 'POST')?.isOnce, true);
  t.is(retries({ 'proxy-next-upstream': 'error non_idempotent' }, 'POST')?.isOnce, false);
  t.deepEqual(retries({ 'proxy-next-upstream': 'off' }), { tries: 1, after: [], isOnce: true });
  t.like(retries({ 'proxy-next-upstream': 'http_502', 'proxy-next-upstream-tries': '5' }), {
    tries: 5,
    after: ['http_502'],
  });
});
