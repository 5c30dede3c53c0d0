/*
 * Routes and requests at random, from few enough words that they meet. The same seed gives the same ones.
 */

export type Random = () => number;

/** Mulberry32: 0 to 1, without 1. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
const some = <T>(random: Random, share: number, choices: readonly T[]): T[] => choices.filter(() => random() < share);

export const listenerHosts = [undefined, '*.a.test', 'x.a.test', 'b.test'] as const;

const routeHosts = ['a.test', 'x.a.test', 'y.x.a.test', '*.a.test', '*.x.a.test', 'b.test', '*.test', 'c.test'];
const requestHosts = [
  'a.test',
  'X.A.test',
  'x.a.test',
  'x.a.test:1234',
  'y.x.a.test',
  'z.y.x.a.test',
  'b.test',
  'c.test',
  'c.test:80',
  'd.test',
  'xa.test',
  'elsewhere',
  '192.0.2.1',
  '192.0.2.1:80',
  '[::1]',
  '[::1]:80',
  'a.test.',
  'X.a.test.:80',
  'y.x.a.test.',
  'a.test..',
  'a.test,b.test',
  'user@a.test',
  'a.test:x',
  '.a.test',
];
const serverNames = ['a.test', 'x.a.test', 'y.x.a.test', 'b.test', 'c.test', 'elsewhere'];

const paths = [
  ...['/', '/a', '/a/', '/a/b', '/ab', '/a/b/c', '/A', '/b', '/b/c', '/a.b', '/a-b', '/a/bb', '/a/7', '/c'],
  ...['//a', '/a//b', '/a/../b', '/a/./b', '/a/%2e%2e/b', '/a/.%2E/b', '/../a', '/a/b/..', '/a/.', '/...', '/a/..b'],
  ...['/%61', '/%41', '/a%2Fb', '/a%2fb%5Cc', '/a\\b', '/a%20b', '/caf%C3%A9', '/a;v=1', '/a%3Fb', '/a%', '/a%zz'],
  ...[
    '/a/..;/b',
    '/a/..;v=1/b',
    '/a/.;/b',
    '/a;v/../b',
    '/a/b;/..',
    '/a/..;',
    '/a/%2e%2e;/b',
    '/..;/a',
    '/a/...;/b',
    '/a/..%3b/b',
    '/a;/b',
    '/a/..;x;y/b',
    '/a/..;%2f/b',
    '/a/;/b',
    '/a/..\\;b',
  ],
  ...['/%7Ea', '/a%2Db', '/a%30', '/a^b', '/a|b', '/a"b', '/a<b', '/a`b', '/a{b}', '/a[b]', '/a:b', '/a@b', '/a%7B'],
];
const queries = [
  '',
  '',
  '?',
  '?q=1',
  '?q=2',
  '?q=1&q=2',
  '?q',
  '?q=%31',
  '?p=x&q=1',
  '?q=a+b',
  '?Q=1',
  '?q=1?',
  '?q=/..',
];
const methods = ['GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];

export interface OddRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  /** With TLS. */
  readonly serverName?: string;
}

export function oddRequest(random: Random): OddRequest {
  const target = `${pick(random, paths)}${pick(random, queries)}`;
  return {
    host: pick(random, requestHosts),
    path: target,
    method: pick(random, methods),
    headers: [
      ...some(random, 0.3, [
        ['x-a', '1'],
        ['x-a', '2'],
        ['x-b', 'on'],
      ] as const),
      ...some(random, 0.02, [['x_c', '1']] as const),
      ...some(random, 0.1, [['content-type', 'application/grpc']] as const),
    ],
    ...(random() < 0.5 && { serverName: pick(random, serverNames) }),
  };
}

const pathMatches = [
  ...['/', '/a', '/a/b', '/A', '/b', '/a/'].map((value) => ({ type: 'PathPrefix', value })),
  ...['/', '/a', '/a/b', '/b/c', '/a-b', '/a%20b', '/caf%C3%A9', '/A'].map((value) => ({ type: 'Exact', value })),
  ...['/a/[a-z]+', '/(a|b).*', '/.*b', '/a/\\d'].map((value) => ({ type: 'RegularExpression', value })),
];

const oddMatch = (random: Random): object => ({
  ...(random() < 0.9 && { path: pick(random, pathMatches) }),
  ...(random() < 0.2 && { method: pick(random, methods.slice(0, 4)) }),
  ...(random() < 0.25 && {
    headers: some(random, 0.6, [
      { name: 'X-A', value: pick(random, ['1', '2', '1,2']) },
      { name: 'x-b', type: 'RegularExpression', value: pick(random, ['on|off', 'o']) },
    ]),
  }),
  ...(random() < 0.2 && {
    queryParams: [
      { name: 'q', value: pick(random, ['1', '2', '%31']) },
      { name: 'q', type: 'RegularExpression', value: pick(random, ['[0-9]', '.*', '']) || '1?' },
    ].filter((_, index) => index === (random() < 0.7 ? 0 : 1)),
  }),
});

const rewrites = [
  { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
  { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' } },
  { path: { type: 'ReplaceFullPath', replaceFullPath: '/full' } },
  { hostname: 'new.test' },
];

/** What a rule does, marked with a header of its answer. Replacing a prefix takes a rule with one prefix match. */
function oddRule(random: Random, mark: string, backend: object): object {
  const marked = { type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'x-rule', value: mark }] } };
  const kind = random();
  if (kind < 0.7)
    return {
      matches: Array.from({ length: 1 + Math.floor(random() * 3) }, () => oddMatch(random)),
      filters: [marked],
      backendRefs: [backend],
    };
  const change = pick(random, rewrites);
  const matches = [{ path: pick(random, pathMatches.slice(0, 5)) }];
  if (kind < 0.85)
    return { matches, filters: [marked, { type: 'URLRewrite', urlRewrite: change }], backendRefs: [backend] };
  const requestRedirect = {
    ...change,
    ...(random() < 0.5 && { scheme: 'https' }),
    ...(random() < 0.3 && { port: 8443 }),
  };
  return { matches, filters: [marked, { type: 'RequestRedirect', requestRedirect }] };
}

/** An HTTPRoute for some hosts; unless `named`, some are for all. */
export const oddRoute = (random: Random, name: string, backend: object, named: boolean): object => {
  const hostnames = [...some(random, 0.2, routeHosts), ...(named ? [pick(random, routeHosts)] : [])];
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name },
    spec: {
      parentRefs: [{ name: 'edge' }],
      ...(hostnames.length > 0 && { hostnames: [...new Set(hostnames)] }),
      rules: Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) =>
        oddRule(random, `${name}/${index}`, backend),
      ),
    },
  };
};
