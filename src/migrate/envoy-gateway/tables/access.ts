import type { Table } from '../../kit/table.ts';
import {
  bytesOf,
  type Fields,
  fieldsOf,
  listOf,
  millisecondsOf,
  textAt,
  textOf,
  textsOf,
  truthOf,
} from '../../kit/values.ts';
import { rulesOf } from './authorization.ts';
import { serverFields, serverOf } from './backend-ref.ts';
import { loginTable } from './login.ts';
import { targetFields } from './targets.ts';
import { providerFields, providersOf } from './tokens.ts';

/** A Secret or ConfigMap as ours name it. */
const namedOf = (value: unknown): Fields => {
  const { name, namespace } = fieldsOf(value);
  return { name: textOf(name), ...(namespace !== undefined && { namespace: textOf(namespace) }) };
};

const server = 'the request’s own path is in X-Forwarded-Uri: compare what the server answers';

/** A SecurityPolicy as an AccessPolicy. */
export const securityPolicy: Table = {
  ...targetFields,
  apiKeyAuth: {
    in: {
      credentialRefs: {
        by: (value, visit) => {
          visit.set('AccessPolicy.apiKeys.secretRefs', listOf(value).map(namedOf));
          visit.set('AccessPolicy.apiKeys.forwardKey', visit.draft.get('AccessPolicy.apiKeys.forwardKey') ?? true);
          const names = listOf(value).map((ref) => textOf(fieldsOf(ref).name));
          visit.note(
            'decision',
            `requests are answered 500 until the Secrets have a label: kubectl label secret ${names.join(' ')} gatewright.dev/credentials=true`,
          );
        },
        knows: ['[].group', '[].kind', '[].name', '[].namespace'],
      },
      extractFrom: {
        by: (value, visit) =>
          visit.set(
            'AccessPolicy.apiKeys.from',
            listOf(value).flatMap((item) => {
              const { headers = [], params = [], cookies = [] } = fieldsOf(item);
              return [
                ...textsOf(headers).map((header) => ({ header })),
                ...textsOf(params).map((query) => ({ query })),
                ...textsOf(cookies).map((cookie) => ({ cookie })),
              ];
            }),
          ),
        knows: ['[].headers', '[].params', '[].cookies'],
      },
      forwardClientIDHeader: { to: 'AccessPolicy.apiKeys.identityHeader' },
      sanitize: { to: 'AccessPolicy.apiKeys.forwardKey', as: (value) => !truthOf(value) },
    },
  },
  authorization: {
    in: {
      defaultAction: { to: 'AccessPolicy.authorization.default' },
      rules: { by: rulesOf, knows: ['[]'] },
    },
  },
  basicAuth: {
    in: {
      users: { to: 'AccessPolicy.basicAuth.secretRef', as: namedOf },
      forwardUsernameHeader: { to: 'AccessPolicy.basicAuth.userHeader' },
    },
  },
  cors: {
    in: {
      allowOrigins: {
        to: 'AccessPolicy.cors.allowOrigins',
        as: (value, visit) => {
          const [known, other] = [textsOf(value).filter(isWeb), textsOf(value).filter((origin) => !isWeb(origin))];
          for (const origin of other) visit.miss(`${origin} is no origin of http or https`);
          return known;
        },
      },
      allowMethods: { to: 'AccessPolicy.cors.allowMethods' },
      allowHeaders: { to: 'AccessPolicy.cors.allowHeaders', as: textsOf },
      exposeHeaders: { to: 'AccessPolicy.cors.exposeHeaders', as: textsOf },
      maxAge: { to: 'AccessPolicy.cors.maxAge', as: (value) => Math.max(1, Math.round(millisecondsOf(value) / 1000)) },
      allowCredentials: { to: 'AccessPolicy.cors.allowCredentials', as: truthOf },
    },
  },
  csrf: {
    by: (value, visit) => {
      const { additionalOrigins = [], shadowFraction } = fieldsOf(value);
      const hosts = textsOf(additionalOrigins).flatMap((origin) => {
        const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?((?:\*\.)?[a-z0-9][-a-z0-9.]*(?::\d{1,5})?)$/i.exec(origin)?.[1];
        if (host === undefined)
          visit.at('additionalOrigins').miss(`${origin} is every host: list those that are meant`);
        return host === undefined ? [] : [host.toLowerCase()];
      });
      visit.set('AccessPolicy.csrf', hosts.length > 0 ? { additionalOrigins: hosts } : {});
      if (shadowFraction === undefined) return;
      const { numerator, denominator = 100 } = fieldsOf(shadowFraction);
      const share = Math.floor((Number(numerator) / Number(denominator)) * 100);
      if (share >= 100) visit.set('AccessPolicy.csrf.shadow', true);
      else if (share >= 1) visit.set('AccessPolicy.csrf.shadowPercent', share);
      else if (numerator !== 0)
        visit.at('shadowFraction').miss('a share below one percent is denied here, as all others');
    },
    knows: ['additionalOrigins', 'shadowFraction'],
  },
  extAuth: {
    in: {
      failOpen: { to: 'AccessPolicy.forwardAuth.failOpen', as: truthOf },
      timeout: { to: 'AccessPolicy.forwardAuth.timeout' },
      statusOnError: { to: 'AccessPolicy.forwardAuth.statusOnError' },
      bodyToExtAuth: {
        in: { maxRequestBytes: { to: 'AccessPolicy.forwardAuth.body.maxBytes', as: bytesOf } },
      },
      headersToExtAuth: { aside: 'forwardAuth.http.requestHeaders or forwardAuth.grpc.requestHeaders' },
      http: {
        by: (value, visit) => {
          const fields = fieldsOf(value);
          visit.set('AccessPolicy.forwardAuth.backendRef', serverOf(fields, visit, true));
          const { headersToBackend } = fields;
          const path = textAt(fields, 'pathOverride') ?? textAt(fields, 'path');
          visit.set('AccessPolicy.forwardAuth.http.path', path);
          if (fields.pathOverride === undefined && path !== undefined)
            visit
              .at('path')
              .note(
                'decision',
                `the server is asked at ${path} alone, and not at ${path} and the request’s path: ${server}`,
              );
          if (headersToBackend !== undefined)
            visit.set('AccessPolicy.forwardAuth.http.toBackend', textsOf(headersToBackend));
        },
        knows: [...serverFields, 'path', 'pathOverride', 'headersToBackend'],
      },
      grpc: {
        by: (value, visit) => {
          visit.set('AccessPolicy.forwardAuth.backendRef', serverOf(fieldsOf(value), visit, true));
          visit.set('AccessPolicy.forwardAuth.grpc', visit.draft.get('AccessPolicy.forwardAuth.grpc') ?? {});
        },
        knows: serverFields,
      },
      contextExtensions: { cannot: 'the server gets nothing beside the request' },
      includeRouteMetadata: { cannot: 'the server does not get the route', unless: false },
      recomputeRoute: { cannot: 'a request keeps its route, whatever the server writes into it', unless: false },
    },
  },
  jwt: {
    in: {
      optional: { to: 'AccessPolicy.jwt.optional', as: truthOf },
      failOpen: {
        by: (value, visit) => {
          if (value === true) visit.miss('requests with a token that is not valid are denied here');
        },
        knows: [],
      },
      providers: { by: providersOf, knows: providerFields },
    },
  },
  oidc: { in: loginTable },
};

const isWeb = (origin: string): boolean => origin === '*' || /^https?:\/\//.test(origin);

/** `headersToExtAuth`, which goes where the server is asked. */
export function questionHeaders(spec: Fields): { readonly to: string; readonly names: readonly string[] } | undefined {
  const { extAuth } = spec;
  if (extAuth === undefined) return undefined;
  const { headersToExtAuth, grpc } = fieldsOf(extAuth);
  if (headersToExtAuth === undefined) return undefined;
  return {
    to: `AccessPolicy.forwardAuth.${grpc === undefined ? 'http' : 'grpc'}.requestHeaders`,
    names: textsOf(headersToExtAuth),
  };
}
