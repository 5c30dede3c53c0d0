import type { Table, Visit } from '../../kit/table.ts';
import { fieldsOf, listOf, numberOf, textAt, textOf, textsOf, truthOf } from '../../kit/values.ts';
import { durationOf } from './durations.ts';
import { errorsRule } from './error-pages.ts';
import { headersTable } from './headers.ts';
import { criteria, limitOf, underWayOf } from './limits.ts';
import { pathTables } from './paths.ts';

const addresses: Table = {
  sourceRange: { to: 'AccessPolicy.clientIPs.allow', as: textsOf },
  ipStrategy: {
    by: (value, visit) => {
      const { depth, excludedIPs } = fieldsOf(value);
      // The address of the connection, which is a proxy's then, may be among those that are allowed.
      if (typeof depth === 'number' && depth > 0)
        visit
          .at('depth')
          .lose(`whose address counts is of the listener: set clientIP.trustedHops to ${depth} in its ListenerPolicy`);
      if (excludedIPs !== undefined)
        visit
          .at('excludedIPs')
          .lose('whose address counts is of the listener: set clientIP.trustedCIDRs in its ListenerPolicy');
    },
    knows: ['depth', 'excludedIPs', 'ipv6Subnet'],
  },
  rejectStatusCode: { none: '403 is answered' },
};

const login = 'digest needs passwords in a form that is not read here';

/** Middlewares of HTTP, each with its fields. A protecting one closes its route if a part of it has no equivalent here. */
export const middlewareTable: Table = {
  ...Object.fromEntries(Object.entries(pathTables).map(([name, table]) => [name, { in: table }])),
  basicAuth: {
    in: {
      secret: {
        by: (value, visit) => {
          const name = textOf(value);
          visit.set('AccessPolicy.basicAuth.secretRef', { name, key: 'users' });
          visit.note(
            'decision',
            `requests are answered 500 until the Secret has a label: kubectl label secret ${name} gatewright.dev/credentials=true`,
          );
        },
        knows: [],
      },
      realm: { to: 'AccessPolicy.basicAuth.realm', as: textOf },
      headerField: { to: 'AccessPolicy.basicAuth.userHeader', as: textOf },
      removeHeader: { aside: 'passwords are removed always' },
    },
  },
  buffering: {
    in: {
      maxRequestBodyBytes: {
        to: 'TrafficPolicy.requestBody.maxBytes',
        as: (value) => (numberOf(value) > 0 ? sizeOf(numberOf(value)) : undefined),
        differs: 'bodies are sent on as they come; longer ones are answered 413',
      },
      memRequestBodyBytes: { none: 'nothing is kept in memory for it' },
      maxResponseBodyBytes: { cannot: 'answers have no longest body' },
      memResponseBodyBytes: { none: 'nothing is kept in memory for it' },
      retryExpression: { cannot: 'what is repeated is listed: retry of the TrafficPolicy' },
    },
  },
  chain: { aside: 'its middlewares' },
  circuitBreaker: {
    cannot:
      'a backend is left alone by its failures: healthCheck.passive of a BackendPolicy, or admission of a TrafficPolicy',
  },
  compress: {
    by: (value, visit) => {
      const {
        encodings,
        minResponseBodyBytes = 1024,
        includedContentTypes,
        excludedContentTypes,
        defaultEncoding,
      } = fieldsOf(value);
      const words: Readonly<Record<string, string>> = { zstd: 'Zstd', br: 'Brotli', gzip: 'Gzip' };
      const known = textsOf(encodings ?? ['gzip', 'br', 'zstd']).flatMap((name) => words[name] ?? []);
      visit.set('TrafficPolicy.compression', {
        algorithms: known.length > 0 ? known : ['Gzip'],
        minBytes: numberOf(minResponseBodyBytes),
        ...(includedContentTypes !== undefined && { contentTypes: textsOf(includedContentTypes) }),
      });
      if (excludedContentTypes !== undefined)
        visit.at('excludedContentTypes').miss('types that are compressed are listed');
      if (defaultEncoding !== undefined) visit.at('defaultEncoding').miss('clients say what they take');
    },
    knows: ['encodings', 'minResponseBodyBytes', 'includedContentTypes', 'excludedContentTypes', 'defaultEncoding'],
  },
  contentType: { none: 'types of answers stay as they are' },
  digestAuth: { cannot: login, blocks: true },
  encodedCharacters: {
    cannot: 'which escapes a path may have is of the listener: path of a ListenerPolicy',
    blocks: true,
  },
  errors: errorsRule,
  forwardAuth: {
    in: {
      address: { to: 'ForwardAuth.address', as: textOf },
      authRequestHeaders: { to: 'AccessPolicy.forwardAuth.http.requestHeaders', as: textsOf },
      authResponseHeaders: { to: 'AccessPolicy.forwardAuth.http.toBackend', as: textsOf },
      authResponseHeadersRegex: { cannot: 'headers that backends get are listed', blocks: true },
      addAuthCookiesToResponse: {
        to: 'AccessPolicy.forwardAuth.http.toClient',
        as: (value) => (textsOf(value).length > 0 ? ['set-cookie'] : undefined),
        differs: 'all cookies of the server that is asked reach clients',
      },
      authSigninURL: {
        to: 'AccessPolicy.forwardAuth.signIn.url',
        as: textOf,
        differs: 'browsers are sent there that ask for a page; all else gets 401',
      },
      forwardBody: {
        by: (value, visit) => {
          if (truthOf(value) && visit.draft.get('AccessPolicy.forwardAuth.body.maxBytes') === undefined)
            visit.set('AccessPolicy.forwardAuth.body.maxBytes', 1_048_576);
        },
        knows: [],
      },
      maxBodySize: {
        to: 'AccessPolicy.forwardAuth.body.maxBytes',
        as: (value) => (numberOf(value) > 0 ? numberOf(value) : undefined),
      },
      maxResponseBodySize: { none: 'an answer of the server has a longest body of its own' },
      headerField: { cannot: 'the user is no field of logs', blocks: false },
      preserveLocationHeader: { none: 'what the server answers is sent as it is' },
      preserveRequestMethod: {
        to: 'ForwardAuth.keepsMethod',
        as: truthOf,
      },
      tls: { cannot: 'how the server is spoken to is a BackendTLSPolicy of its Service', blocks: true },
      trustForwardHeader: { none: 'the server gets what the proxy knows of the request' },
    },
  },
  grpcWeb: {
    by: (value, visit) => {
      visit.set('TrafficPolicy.grpcWeb', {});
      visit.set('AccessPolicy.cors.allowOrigins', textsOf(fieldsOf(value).allowOrigins ?? []));
    },
    knows: ['allowOrigins'],
  },
  headers: { in: headersTable },
  inFlightReq: { by: underWayOf, knows: ['amount', ...criteria] },
  ipAllowList: { in: addresses },
  ipWhiteList: { in: addresses },
  passTLSClientCert: { cannot: 'it is of the listener: headers.clientCertificate of a ListenerPolicy' },
  plugin: { cannot: 'plugins of Traefik are not run here', blocks: true },
  rateLimit: {
    by: limitOf,
    knows: ['average', 'burst', 'period', 'redis', ...criteria],
  },
  redirectRegex: {
    by: (value, visit) => {
      const { regex, replacement, permanent = false } = fieldsOf(value);
      visit.set('RedirectRegex', { regex: textOf(regex), replacement: textOf(replacement), permanent });
    },
    knows: ['regex', 'replacement', 'permanent'],
  },
  redirectScheme: {
    by: (value, visit) => {
      const fields = fieldsOf(value);
      visit.set('RedirectScheme', {
        scheme: textAt(fields, 'scheme') ?? 'https',
        port: textAt(fields, 'port'),
        permanent: fields.permanent === true,
      });
    },
    knows: ['scheme', 'port', 'permanent'],
  },
  retry: {
    in: {
      attempts: { to: 'TrafficPolicy.retry.attempts', as: (value) => Math.max(0, numberOf(value) - 1) },
      initialInterval: { to: 'TrafficPolicy.retry.backoff.base', as: durationOf },
      status: { by: statusesOf, knows: ['[]'] },
      timeout: { to: 'TrafficPolicy.retry.perTry', as: durationOf },
      disableRetryOnNetworkError: {
        cannot: 'requests that no endpoint has processed are repeated always',
        unless: false,
      },
      maxRequestBodyBytes: { none: 'longer bodies than the proxy keeps are not repeated' },
      retryNonIdempotentMethod: { cannot: 'what is repeated does not depend on the method' },
    },
  },
};

const sizeOf = (bytes: number): string => (bytes < 1e9 ? String(bytes) : `${Math.ceil(bytes / 2 ** 20)}Mi`);

function statusesOf(value: unknown, visit: Visit): void {
  const codes = textsOf(value).flatMap((text) => text.match(/\d{3}(?:-\d{3})?/g) ?? []);
  const all = codes.flatMap((text) => {
    const [from, to = from] = (text.match(/\d{3}/g) ?? []).map(Number);
    return Array.from(
      { length: Math.max(0, Math.min(599, to ?? 0) - (from ?? 0) + 1) },
      (_, index) => (from ?? 0) + index,
    );
  });
  if (all.length > 16) visit.miss('a policy has 16 statuses: the first of them are kept');
  if (all.length > 0) visit.set('TrafficPolicy.retry.codes', all.slice(0, 16));
}

/** Middlewares of TCP. */
export const middlewareTcpTable: Table = {
  ipAllowList: { in: { sourceRange: { to: 'AccessPolicy.clientIPs.allow', as: textsOf } } },
  ipWhiteList: { in: { sourceRange: { to: 'AccessPolicy.clientIPs.allow', as: textsOf } } },
  inFlightConn: {
    cannot: 'connections are limited by listener: limits.maxConnections of a ListenerPolicy',
    blocks: true,
  },
};

/** Names of other middlewares that a chain has. */
export const chainOf = (spec: unknown): readonly unknown[] => listOf(fieldsOf(fieldsOf(spec).chain).middlewares ?? []);
