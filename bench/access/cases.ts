import { createHash } from 'node:crypto';
import { hash as bcrypt } from 'bcryptjs';
import { apiKeys, issuer, type Tokens, tokensOf } from './credentials.ts';
import type { Servers } from './servers.ts';

/** What is demanded of requests to a host of its own, by either program’s policy. */
export interface Case {
  /** As the results call it. */
  readonly name: string;
  /** Of the route and its policy, and the first label of the host. */
  readonly key: string;
  /** The policy’s spec without targets; none where nothing is demanded. */
  readonly ours?: object;
  /** None where Envoy Gateway has nothing like it. */
  readonly theirs?: object;
  /** Lines of a request, each with its end. */
  readonly headers?: () => string;
  /** The listener of its host. On `alone` no host has a policy. */
  readonly listener: 'http' | 'alone' | 'https';
  /** Browsers log in first, and what they have is sent. */
  readonly isLogin?: boolean;
}

const password = 'correct horse';
/** The cost that `htpasswd -B` is often run with: about 0.1 seconds. */
const bcryptCost = 10;

/** Entries of the Secrets that policies name. */
export async function secrets(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  const sha = createHash('sha1').update(password).digest('base64');
  return {
    'users-sha': { '.htpasswd': `ann:{SHA}${sha}\n` },
    'users-bcrypt': { '.htpasswd': `ann:${await bcrypt(password, bcryptCost)}\n` },
    clients: apiKeys,
    oidc: { 'client-secret': 's3cret-s3cret' },
  };
}

export function casesFor({ providerPort }: Servers): readonly Case[] {
  const [rs, es] = [tokensOf('RS256'), tokensOf('ES256')];
  const basic = `authorization: Basic ${Buffer.from(`ann:${password}`).toString('base64')}\r\n`;
  const [, key = ''] = Object.entries(apiKeys)[50] ?? [];
  const networks = [...Array.from({ length: 9 }, (_, at) => `10.${at}.0.0/16`), '127.0.0.0/8'];
  return [
    { name: 'nothing, no policy at the listener', key: 'alone', listener: 'alone', ...nothing },
    { name: 'nothing, beside the others', key: 'beside', listener: 'http', ...nothing },
    {
      name: 'address in 10 networks',
      key: 'address',
      listener: 'http',
      ours: { clientIPs: { allow: networks } },
      theirs: allow({ clientCIDRs: networks }),
    },
    ...jwtCases('RS256', rs),
    ...jwtCases('ES256', es),
    {
      name: 'JWT (RS256), then a claim',
      key: 'claims',
      listener: 'http',
      ours: {
        ...ourJwt(rs),
        authorization: {
          rules: [
            {
              name: 'ops',
              action: 'Allow',
              when: { jwt: { provider: 'id', claims: [{ name: 'groups', values: ['ops'] }] } },
            },
          ],
        },
      },
      theirs: {
        ...theirJwt(rs),
        ...allow({ jwt: { provider: 'id', claims: [{ name: 'groups', valueType: 'StringArray', values: ['ops'] }] } }),
      },
      headers: () => bearer(rs.one),
    },
    {
      name: 'API key of 100',
      key: 'keys',
      listener: 'http',
      ours: { apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ header: 'x-api-key' }] } },
      theirs: {
        apiKeyAuth: {
          credentialRefs: [{ name: 'clients' }],
          extractFrom: [{ headers: ['x-api-key'] }],
          sanitize: true,
        },
      },
      headers: () => `x-api-key: ${key}\r\n`,
    },
    {
      name: 'password, {SHA}',
      key: 'sha',
      listener: 'http',
      ours: { basicAuth: { secretRef: { name: 'users-sha' } } },
      theirs: { basicAuth: { users: { name: 'users-sha' } } },
      headers: () => basic,
    },
    {
      name: 'password, bcrypt, remembered',
      key: 'bcrypt',
      listener: 'http',
      ours: { basicAuth: { secretRef: { name: 'users-bcrypt' } } },
      headers: () => basic,
    },
    {
      name: 'forward auth by HTTP',
      key: 'http',
      listener: 'http',
      ours: { forwardAuth: { backendRef: { name: 'http-auth', port: 80 }, http: { toBackend: ['x-auth-user'] } } },
      theirs: {
        extAuth: { http: { backendRefs: [{ name: 'http-auth', port: 80 }], headersToBackend: ['x-auth-user'] } },
      },
    },
    {
      name: 'forward auth by gRPC',
      key: 'grpc',
      listener: 'http',
      ours: { forwardAuth: { backendRef: { name: 'grpc-auth', port: 80 }, grpc: {} } },
      theirs: { extAuth: { grpc: { backendRefs: [{ name: 'grpc-auth', port: 80 }] } } },
    },
    { name: 'nothing, HTTPS', key: 'secure', listener: 'https', ...nothing },
    { name: 'login (OIDC), HTTPS', key: 'login', listener: 'https', isLogin: true, ...loginSpecs(providerPort) },
  ];
}

const nothing = { ours: {}, theirs: {} };

const bearer = (token: string): string => `authorization: Bearer ${token}\r\n`;

const jwtCases = (algorithm: string, tokens: Tokens): Case[] => {
  const specs = { ours: ourJwt(tokens), theirs: theirJwt(tokens) };
  const key = algorithm.toLowerCase();
  return [
    { name: `JWT (${algorithm}), one token`, key, listener: 'http', ...specs, headers: () => bearer(tokens.one) },
    {
      name: `JWT (${algorithm}), another each time`,
      key: `${key}-new`,
      listener: 'http',
      ...specs,
      headers: () => bearer(tokens.next()),
    },
  ];
};

const ourJwt = ({ jwks }: Tokens): object => ({
  jwt: { providers: [{ name: 'id', issuer, audiences: ['api'], jwks: { inline: jwks } }] },
});

const theirJwt = ({ jwks }: Tokens): object => ({
  jwt: { providers: [{ name: 'id', issuer, audiences: ['api'], localJWKS: { type: 'Inline', inline: jwks } }] },
});

const allow = (principal: object): object => ({
  authorization: { defaultAction: 'Deny', rules: [{ action: 'Allow', principal }] },
});

function loginSpecs(port: number): Pick<Case, 'ours' | 'theirs'> {
  const url = `https://idp.example.com:${port}`;
  const [authorization, token] = [`${url}/auth`, `${url}/token`];
  return {
    ours: {
      oidc: {
        endpoints: { authorization, token },
        client: { id: 'gw', secretRef: { name: 'oidc' } },
        backendRef: { name: 'tokens', port: 80 },
      },
    },
    theirs: {
      oidc: {
        provider: {
          issuer: url,
          authorizationEndpoint: authorization,
          tokenEndpoint: token,
          backendRefs: [{ name: 'tokens', port: 80 }],
        },
        clientID: 'gw',
        clientSecret: { name: 'oidc' },
      },
    },
  };
}
