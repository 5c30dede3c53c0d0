import type { AskedRequest } from './asked-request.ts';
import type { Difference } from './differences.ts';
import type { SeenAnswer } from './seen-answer.ts';

/** What is known of a request. Without Ingresses nothing is, and what would need it stays unexplained. */
export interface RequestFacts {
  /** Its host is more than one label below a wildcard, and no other host. */
  readonly isDeepBelowWildcard: boolean;
  /** No Ingress has a certificate for its host. */
  readonly lacksCertificate: boolean;
  /** No Ingress of its host has its path: what nginx has instead answers 404, after annotations of the host's first Ingress. */
  readonly isOfNoPath: boolean;
  /** A directive `if` of a snippet rejects it. */
  readonly isRejected: boolean;
  /** The Service of its path has no endpoints, and a canary may take a part of its requests. */
  readonly isOfCanaryAlone: boolean;
}

/** Two answers to one request that differ. */
export interface DifferentAnswers {
  readonly request: AskedRequest;
  readonly from: SeenAnswer;
  readonly to: SeenAnswer;
  readonly facts: RequestFacts;
}

/** Why answers differ in a way that is known and meant. */
export interface Explanation {
  /** Stays the same; reports have it. */
  readonly code: string;
  readonly sentence: string;
  /** Whether it is the reason of one difference. */
  readonly explains: (difference: Difference, answers: DifferentAnswers) => boolean;
}

const isRedirect = ({ status }: SeenAnswer): boolean => status !== undefined && status >= 300 && status < 400;

const pathOf = ({ target }: AskedRequest): string => target.replace(/[?#].*$/s, '');

const header = ({ headers }: AskedRequest, name: string): string | undefined =>
  headers.find(([each]) => each === name)?.[1];

/** Two texts that are equal when something is taken from both. */
const equalBut = ({ from, to }: Difference, change: (text: string) => string): boolean => change(from) === change(to);

const withoutSlash = (location: string): string => location.replace(/\/(?=$|\?)/, '').replace(/\/$/, '');

const isCors = ({ what }: Difference): boolean => what.startsWith('header access-control-');

const allowsOrigin = ({ headers }: SeenAnswer): boolean => headers?.['access-control-allow-origin'] !== undefined;

const isPreflight = (request: AskedRequest): boolean =>
  request.method === 'OPTIONS' && header(request, 'access-control-request-method') !== undefined;

const unescaped = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const normal = (target: string): string =>
  unescaped(target)
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/');

/**
 * The differences that are known, in the order in which they are looked for. Those of a request's form come first, for they change everything
 * about its answer. docs/ingress-nginx-compare.md has a row for each.
 */
export const explanations: readonly Explanation[] = [
  {
    code: 'malformed-request',
    sentence: 'nginx rejects TRACE, malformed escapes, and lines above 8 KiB; Envoy takes some of them',
    explains: (_, { request, from }) =>
      [400, 405, 414].includes(from.status ?? 200) &&
      (request.method === 'TRACE' ||
        /%(?![0-9a-f]{2})|%00/i.test(request.target) ||
        isLarge(request) ||
        leavesRoot(request)),
  },
  {
    code: 'underscore-header',
    sentence: 'Envoy answers 400 to a header with an underscore; nginx drops it: set `headers.underscores: Drop`',
    explains: (_, { request, to }) => to.status === 400 && request.headers.some(([name]) => name.includes('_')),
  },
  {
    code: 'escaped-slash',
    sentence: 'an escaped slash is unescaped with a redirect, where nginx takes it as a slash and forwards it escaped',
    explains: ({ what }, { request, to }) =>
      /%2f|%5c/i.test(pathOf(request)) && (to.status === 307 || what === 'target'),
  },
  {
    code: 'wildcard-depth',
    sentence: 'a wildcard host stands for any number of labels, where nginx takes one',
    explains: (_, { facts }) => facts.isDeepBelowWildcard,
  },
  {
    code: 'trailing-dot',
    sentence: 'a dot at the end of a host is taken off where nginx repeats it, or is not: see `host.trailingDot`',
    explains: (difference, { request, to }) =>
      /\.(?::\d+)?$/.test(request.host) &&
      (to.status === 404 || (difference.what === 'location' && equalBut(difference, withoutDot))),
  },
  {
    code: 'no-certificate',
    sentence: 'nginx serves every host over TLS with a certificate of its own; a Gateway has no listener without one',
    explains: (_, { request, from, to, facts }) =>
      request.scheme === 'https' && from.status !== 0 && to.status === 0 && facts.lacksCertificate,
  },
  {
    code: 'misdirected',
    sentence: 'a TLS name of another listener is answered 421, where nginx serves it',
    explains: (_, { to }) => to.status === 421,
  },
  {
    code: 'redirect-to-nothing',
    sentence:
      'nginx sends every path of a host to HTTPS, where 404 follows for one that no Ingress has; here that is 404 at once',
    explains: (_, { request, from, to, facts }) =>
      request.scheme === 'http' && isHttpsRedirect(from) && to.status === 404 && facts.isOfNoPath,
  },
  {
    code: 'nothing-there',
    sentence:
      'nginx holds paths that no Ingress has to annotations of the first Ingress of the host, before it answers 404; here that is 404 at once, or a redirect',
    explains: (_, { from, to, facts }) =>
      [401, 403, 413, 503].includes(from.status ?? 0) && (to.status === 404 || isHttpsRedirect(to)) && facts.isOfNoPath,
  },
  {
    code: 'certificate-status',
    sentence:
      'nginx answers 400 to a client without a certificate that it needs; here that is 403, or 404 without a route',
    explains: (_, { request, from, to }) =>
      request.scheme === 'https' && from.status === 400 && [403, 404].includes(to.status ?? 0),
  },
  {
    code: 'endpoints-first',
    sentence: 'nginx answers 503 for a Service without endpoints before it looks at who asks; here that comes first',
    explains: (_, { from, to }) => from.status === 503 && [401, 403].includes(to.status ?? 0),
  },
  {
    code: 'canary-alone',
    sentence: 'nginx answers 503 for a Service without endpoints, and asks no canary; here the canary gets its share',
    explains: (_, { from, facts }) => from.status === 503 && facts.isOfCanaryAlone,
  },
  {
    code: 'preflight-over-http',
    sentence:
      'nginx answers OPTIONS before it redirects to HTTPS; here the redirect comes first, and browsers follow none of a preflight',
    explains: (_, { request, from, to }) =>
      request.method === 'OPTIONS' && request.scheme === 'http' && from.status === 204 && isHttpsRedirect(to),
  },
  {
    code: 'options',
    sentence:
      'nginx answers every OPTIONS of an allowed origin with 204; Envoy answers preflights with 200, others reach the backend',
    explains: ({ what }, { request, from }) =>
      request.method === 'OPTIONS' &&
      from.status === 204 &&
      (what === 'status' || what === 'body' || what.startsWith('header access-control-')),
  },
  {
    code: 'other-preflight',
    sentence:
      'Envoy answers preflights of origins that are not allowed, and allows none; nginx passes them to the backend',
    explains: (difference, { request, from, to }) =>
      isPreflight(request) && !allowsOrigin(from) && !allowsOrigin(to) && (isCors(difference) || to.status === 200),
  },
  {
    code: 'cors-star',
    sentence: 'nginx sends a star with credentials, which browsers reject; converted routes allow none',
    explains: (difference, { from }) => isCors(difference) && from.headers?.['access-control-allow-origin'] === '*',
  },
  {
    code: 'cors-on-redirects',
    sentence: 'nginx has headers of CORS on its redirects too; here those of backends have them',
    explains: (difference, { to }) => isCors(difference) && difference.to === '' && isRedirect(to),
  },
  {
    code: 'cors-on-every-answer',
    sentence: 'nginx repeats methods, headers and age on every answer; browsers read them of preflights alone',
    explains: ({ what, to }, { request }) =>
      request.method !== 'OPTIONS' &&
      to === '' &&
      /^header access-control-(allow-methods|allow-headers|max-age)$/.test(what),
  },
  {
    code: 'cors-anchor',
    sentence: 'nginx allows an origin that only ends in an allowed one; converted routes compare all of it',
    explains: (difference, { request }) => isCors(difference) && /.https?:\/\//.test(header(request, 'origin') ?? ''),
  },
  {
    code: 'trailing-slash',
    sentence: 'the slash at the end stays on a redirect to HTTPS, where nginx cuts it',
    explains: (difference, { from, to }) =>
      difference.what === 'location' && isRedirect(from) && isRedirect(to) && equalBut(difference, withoutSlash),
  },
  {
    code: 'redirect-query',
    sentence: 'the query is kept on this redirect, where nginx drops it',
    explains: (difference, { from, to }) =>
      difference.what === 'location' && isRedirect(from) && isRedirect(to) && equalBut(difference, withoutQuery),
  },
  {
    code: 'prefix-slash',
    sentence: 'a Prefix path that ends in a slash matches the path without it, where nginx redirects',
    explains: (_, { request, from }) =>
      from.status === 301 && withoutQuery(from.location ?? '').endsWith(`${normal(pathOf(request))}/`),
  },
  {
    code: 'missing-service',
    sentence: 'a Service that does not exist is answered 500, as the Gateway API asks for; nginx answers 503',
    explains: ({ what, from, to }) => what === 'status' && from === '503' && to === '500',
  },
  {
    code: 'body-limit',
    sentence: 'nginx limits bodies to 1 MiB; there is no limit here without a TrafficPolicy',
    explains: (_, { request, from, to }) => from.status === 413 && (request.bodyBytes ?? 0) > 0 && !isHttpsRedirect(to),
  },
  {
    code: 'body-over-http',
    sentence: 'nginx looks at the length of a body before it redirects to HTTPS; here the redirect comes first',
    explains: (_, { request, from, to }) => from.status === 413 && (request.bodyBytes ?? 0) > 0 && isHttpsRedirect(to),
  },
  {
    code: 'rejected-by-snippet',
    sentence:
      'a snippet rejects the request before the redirect to HTTPS, with a status of its own; here it gets 403, on HTTP after the redirect',
    explains: (_, { facts, to }) => facts.isRejected && (to.status === 403 || isHttpsRedirect(to)),
  },
  {
    code: 'transport-over-http',
    sentence: 'answers over HTTP may have HSTS too, which browsers ignore there (RFC 6797)',
    explains: ({ what, from }, { request }) =>
      what === 'header strict-transport-security' && from === '' && request.scheme === 'http',
  },
  {
    code: 'empty-realm',
    sentence: 'without `auth-realm` nginx asks for a password of an empty realm; here its name is the address',
    explains: ({ what, from, to }) =>
      what === 'header www-authenticate' && from === 'basic realm=""' && to.startsWith('basic realm='),
  },
  {
    code: 'transport-without-route',
    sentence: 'nginx sends HSTS with every HTTPS answer, here those of routes have it',
    explains: ({ what, to }, answers) =>
      what === 'header strict-transport-security' && to === '' && answers.to.status === 404,
  },
  {
    code: 'slashes-alone',
    sentence: 'a path of slashes alone stays `//`, which nginx takes for `/`',
    explains: (_, { request }) => /^\/{2,}$/.test(pathOf(request)),
  },
  {
    code: 'raw-path',
    sentence: 'the backend gets the normalized path, where nginx forwards the one of the request line',
    explains: (difference) =>
      (difference.what === 'target' && equalBut(difference, normal)) ||
      (difference.what === 'location' && equalBut(difference, (location) => normal(withoutSlash(location)))),
  },
];

const isHttpsRedirect = (answer: SeenAnswer): boolean =>
  isRedirect(answer) && (answer.location ?? '').startsWith('https://');

const withoutDot = (location: string): string =>
  withoutSlash(location.replace(/^(https?:\/\/[^/:]*)\.(?=[/:]|$)/, '$1'));

const withoutQuery = (text: string): string => text.replace(/\?.*$/s, '');

const isLarge = ({ target, headers }: AskedRequest): boolean =>
  target.length > 8_192 || headers.some(([name, value]) => name.length + value.length > 8_192);

const leavesRoot = ({ target }: AskedRequest): boolean => /(^|\/)(\.|%2e){2}(\/|$)/i.test(withoutQuery(target));

/** The first explanation of each difference; undefined: none is known. */
export const explain = (difference: Difference, answers: DifferentAnswers): Explanation | undefined =>
  explanations.find(({ explains }) => explains(difference, answers));
