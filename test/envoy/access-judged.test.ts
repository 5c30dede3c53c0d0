import { createHash } from 'node:crypto';
import test from 'ava';
import bcrypt from 'bcryptjs';
import fc from 'fast-check';
import * as ir from '../../src/ir/index.ts';
import { clientAddress, demandsOnHost, type Judgement, judgeAccess } from '../../src/offline/access/index.ts';
import { testRoute } from '../../src/offline/route-test/index.ts';
import { apr1 } from '../../src/passwords/apr1.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import { send, startBackend } from '../support/http.ts';
import {
  type GatewayContent,
  gatewayKey,
  httpListener,
  route,
  snapshotOf,
  table,
  tableGuards,
  virtualHost,
} from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { startPasswordAgent } from '../support/password-agent.ts';
import { every, repetitions, thorough } from '../support/repetitions.ts';
import { signer } from '../support/tokens.ts';

/** What is said of a request is what a real Envoy does with it: cases by hand, and random ones. */

const host = 'a.test';
const sensitive = (text: string) => new ir.Sensitive(Buffer.from(text));
const sha = (password: string) => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
const cidr = (text: string): ir.Cidr => {
  const [address = '', length] = text.split('/');
  return { address, prefixLength: Number(length ?? (address.includes(':') ? 128 : 32)) };
};

const staffKey = signer('staff');
const machineKey = signer('machine', 'ES256');
const otherKey = signer('other', 'EdDSA');
const stranger = signer('staff');
const now = () => Math.floor(Date.now() / 1_000);
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const provider = (name: string, keys: readonly object[], given: Partial<ir.JwtProvider> = {}): ir.JwtProvider => ({
  id: `infra/edge/${name}`,
  issuer: `https://${name}.test`,
  audiences: [],
  keys: JSON.stringify({ keys }),
  from: [],
  forwardToken: false,
  claimsToHeaders: [],
  claimsRead: true,
  ...given,
});
const staff = provider('staff', [staffKey.jwk], { audiences: ['api', 'https://shop.test/'] });
const machines = provider('machines', [machineKey.jwk, otherKey.jwk], {
  from: [
    { kind: 'header', name: 'x-token' },
    { kind: 'query', name: 'token' },
    { kind: 'cookie', name: 'token' },
  ],
});
const ofStaff = { iss: 'https://staff.test', aud: 'api' };
const ofMachines = { iss: 'https://machines.test' };

const keys = (given: Partial<ir.ApiKeys> = {}): ir.ApiKeys => ({
  keys: sensitive(
    JSON.stringify([
      ['ann', 'k1'],
      ['bob', 'k 2'],
      ['cid', 'Bearer x'],
    ]),
  ),
  from: [
    { kind: 'header', name: 'x-api-key' },
    { kind: 'query', name: 'key' },
    { kind: 'cookie', name: 'key' },
  ],
  identityHeader: 'x-client',
  forwardKey: false,
  ...given,
});
const passwords: ir.BasicAuth = {
  htpasswd: sensitive(`ann:${sha('pass:word')}\nbob:${sha('')}\n`),
  userHeader: 'x-user',
};
/** The same users with other hashes, and one that Envoy could check. */
const hashedPasswords: ir.BasicAuth = {
  htpasswd: sensitive(
    `ann:${bcrypt.hashSync('pass:word', 4)}\nbob:${apr1(Buffer.from(''), 'salt')}\neve:${sha('other')}\n`,
  ),
  hashed: true,
  userHeader: 'x-user',
};
const rule = (action: 'Allow' | 'Deny', ...when: readonly ir.AccessCondition[]): ir.AuthorizationRule => ({
  id: 'infra/edge/r',
  action,
  when,
});
const rules = (all: readonly ir.AuthorizationRule[], otherwise: 'Allow' | 'Deny' = 'Deny'): ir.Authorization => ({
  default: otherwise,
  rules: all.map((each, index) => ({ ...each, id: `infra/edge/${index}` })),
});
const forwardAuth: ir.ForwardAuth = {
  backend: 'default/auth/80',
  protocol: 'http',
  authority: 'auth',
  requestHeaders: ['x-let'],
  responseHeaders: [],
  toClient: [],
  timeoutMs: 60_000,
  failOpen: false,
  statusOnError: 503,
};

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  /** X-Forwarded-For, whose last hop is trusted. */
  readonly from?: string;
}
interface Case {
  readonly table?: ir.Access & { readonly overridable?: readonly ir.AccessPart[] };
  readonly rule?: ir.RouteAccess;
  readonly asked: readonly Asked[];
}

const addresses: Asked[] = [
  '10.1.2.3',
  '10.9.0.1',
  '192.0.2.7',
  '2001:db8::1',
  '2001:db9::1',
  '::ffff:10.1.2.3',
  '10.0.0.1, 192.0.2.7',
  'nonsense',
  '',
].map((from) => ({ from }));
const origins: Asked[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE'].flatMap((method): Asked[] => [
  { method },
  ...[
    'http://a.test',
    'https://a.test',
    'http://A.test',
    'http://a.test:80',
    'http://evil.test',
    'null',
    'https://x.corp.test/p?q',
    'https://corp.test',
    'a.test',
    'http://a.test/x@evil.test',
  ].map((origin) => ({ method, headers: { origin } })),
  { method, headers: { referer: 'http://a.test/page' } },
  { method, headers: { origin: 'http://evil.test', referer: 'http://a.test/page' } },
]);
const keyed: Asked[] = [
  {},
  ...['k1', 'k 2', 'Bearer k1', 'bearer k1', 'Bearer x', 'Bearer Bearer x', 'no', 'K1'].map((key) => ({
    headers: { 'x-api-key': key },
  })),
  { headers: { 'x-api-key': ['k1', 'no'] } },
  { headers: { 'x-api-key': ['no', 'k1'] } },
  ...['?key=k1', '?key=k%202', '?key=k+2', '?key=no&key=k1', '?key=', '?Key=k1', '?%6bey=k1', '?a=1;key=k1'].map(
    (path) => ({ path: `/${path}` }),
  ),
  ...['key=k1', 'a=b; key=k1', 'key="k1"', 'xkey=k1', 'key=no; key=k1', 'key =k1', 'key= k1'].map((cookie) => ({
    headers: { cookie },
  })),
  { path: '/?key=no', headers: { cookie: 'key=k1' } },
  { path: '/?key=k1', headers: { 'x-api-key': 'no' } },
];
const named: Asked[] = [
  {},
  ...['ann:pass:word', 'ann:word', 'ann', 'bob:', 'bob', ':', 'eve:pass:word', 'ANN:pass:word'].map((text) => ({
    headers: basic(text),
  })),
  { headers: { authorization: basic('ann:pass:word').authorization.replace('Basic', 'basic') } },
  { headers: { authorization: `${basic('ann:pass:word').authorization}=` } },
  { headers: { authorization: basic('ann:pass:word').authorization.replace(/=*$/, '') } },
  { headers: { authorization: ' Basic  x' } },
  { headers: { authorization: [basic('ann:pass:word').authorization, 'Bearer x'] } },
];

const signed = staffKey.token(ofStaff);
/** In place of a token that has just expired, which both still take for a minute: it is signed when it is sent. */
const justExpired = 'JUST-EXPIRED';
const tokens: readonly string[] = [
  signed,
  staffKey.token({ ...ofStaff, aud: ['x', 'api'] }),
  staffKey.token({ ...ofStaff, aud: 'shop' }),
  staffKey.token({ ...ofStaff, aud: 'http://shop.test' }),
  staffKey.token({ ...ofStaff, aud: [] }),
  staffKey.token({ iss: ofStaff.iss }),
  staffKey.token({ aud: 'api' }),
  staffKey.token({ ...ofStaff, iss: 'https://machines.test' }),
  staffKey.token({ ...ofStaff, exp: now() - 3_600 }),
  justExpired,
  staffKey.token({ ...ofStaff, exp: now() + 3_600, nbf: now() + 20 }),
  staffKey.token({ ...ofStaff, nbf: now() + 3_600 }),
  staffKey.token({ ...ofStaff, aud: 'shop', exp: now() - 3_600 }),
  staffKey.token({ ...ofStaff, exp: 'soon' }),
  staffKey.token({ ...ofStaff, exp: -1 }),
  staffKey.token({ ...ofStaff, aud: 7 }),
  staffKey.token(ofStaff, { kid: 'unknown' }),
  staffKey.token(ofStaff, { kid: undefined }),
  staffKey.token(ofStaff, { kid: 7 }),
  staffKey.token(ofStaff, { alg: 'RS512' }),
  staffKey.token(ofStaff, { alg: 'none' }),
  staffKey.token(ofStaff, { alg: 'HS256' }),
  staffKey.token(ofStaff, { alg: undefined }),
  staffKey.token(ofStaff, { crit: ['x'], x: 1 }),
  stranger.token(ofStaff),
  machineKey.token(ofMachines),
  otherKey.token(ofMachines),
  machineKey.token(ofStaff),
  signed.slice(0, -4),
  `${signed}x`,
  `${signed}.x`,
  signed.split('.').slice(0, 2).join('.'),
  `${signed.split('.').slice(0, 2).join('.')}.`,
  'x.y.z',
  'x',
];
const withTokens: Asked[] = [
  {},
  ...tokens.map((token) => ({ headers: bearer(token) })),
  ...tokens.map((token) => ({ headers: { 'x-token': token } })),
  { headers: { authorization: signed } },
  { headers: { authorization: `bearer ${signed}` } },
  { headers: { authorization: `Bearer  ${signed}` } },
  { headers: { authorization: `x Bearer ${signed}` } },
  { headers: { authorization: 'Bearer ' } },
  { headers: { authorization: 'Bearer' } },
  { headers: { authorization: 'Basic x' } },
  { headers: { authorization: '' } },
  { headers: { authorization: [`Bearer ${signed}`, `Bearer ${tokens[2]}`] } },
  { headers: { authorization: [`Bearer ${tokens[2]}`, `Bearer ${signed}`] } },
  { path: `/?access_token=${signed}` },
  { path: `/?token=${machineKey.token(ofMachines)}` },
  { headers: { cookie: `token=${machineKey.token(ofMachines)}` } },
  { path: `/?token=${machineKey.token(ofMachines)}`, headers: { 'x-token': 'x' } },
  { headers: { 'x-token': machineKey.token(ofMachines), ...bearer(tokens[2] ?? '') } },
];

const claims = (...given: readonly object[]): Asked[] =>
  given.map((more) => ({ headers: bearer(staffKey.token({ ...ofStaff, ...more })) }));
const hasClaim = (path: readonly string[], ...values: readonly string[]): ir.AccessCondition => ({
  jwt: { provider: staff.id, scopes: [], claims: [{ path, values }] },
});

const byHand: Readonly<Record<string, Case>> = {
  'client IPs, allowed': {
    table: { clientIPs: { allow: [cidr('10.0.0.0/8'), cidr('2001:db8::/32')], deny: [] } },
    asked: addresses,
  },
  'client IPs, denied': {
    rule: { route: { clientIPs: { deny: [cidr('10.9.0.0/16'), cidr('192.0.2.7')] } } },
    asked: addresses,
  },
  'client IPs, both': {
    rule: { rule: { clientIPs: { allow: [cidr('10.0.0.0/8')], deny: [cidr('10.1.0.0/16')] } } },
    asked: addresses,
  },
  'client IPs, none': { rule: { rule: { clientIPs: { allow: [], deny: [] } } }, asked: addresses },
  'client IPs, all': { table: { clientIPs: { allow: [cidr('0.0.0.0/0')], deny: [cidr('::/0')] } }, asked: addresses },
  csrf: { table: { csrf: { additionalOrigins: [{ kind: 'exact', value: 'x.corp.test' }] } }, asked: origins },
  'csrf, expression': {
    rule: { route: { csrf: { additionalOrigins: [{ kind: 'regex', value: '[^/:]+\\.corp\\.test' }] } } },
    asked: origins,
  },
  'csrf, shadow': { rule: { rule: { csrf: { additionalOrigins: [], shadow: true } } }, asked: origins },
  'API keys': { table: { apiKeys: keys() }, asked: keyed },
  'API keys of a rule': { rule: { rule: { apiKeys: keys({ forwardKey: true }) } }, asked: keyed },
  'API keys in Authorization': {
    rule: { rule: { apiKeys: keys({ from: [{ kind: 'header', name: 'authorization' }] }) } },
    asked: [...named, { headers: bearer('k1') }, { headers: { authorization: 'k1' } }],
  },
  'API keys twice, and neither forwards them': {
    table: { apiKeys: keys() },
    rule: { route: { apiKeys: keys() } },
    asked: keyed,
  },
  'API keys twice, and one forwards them': {
    table: { apiKeys: keys({ forwardKey: true }) },
    rule: { route: { apiKeys: keys() } },
    asked: keyed,
  },
  passwords: { table: { basicAuth: passwords }, asked: named },
  'passwords of a route': {
    rule: { route: { basicAuth: { htpasswd: sensitive(`ann:${sha('word')}`) } } },
    asked: named,
  },
  'passwords that the agent checks': { table: { basicAuth: hashedPasswords }, asked: named },
  'passwords that the agent checks, of a rule': { rule: { rule: { basicAuth: hashedPasswords } }, asked: named },
  'passwords that the agent checks, or keys': {
    table: { any: { basicAuth: hashedPasswords, apiKeys: keys() } },
    asked: [...named, ...keyed],
  },
  'tokens of one provider': { table: { jwt: { optional: false, providers: [staff] } }, asked: withTokens },
  'tokens in several places': {
    rule: { route: { jwt: { optional: false, providers: [machines] } } },
    asked: withTokens,
  },
  'tokens of two providers': {
    rule: { rule: { jwt: { optional: false, providers: [staff, machines] } } },
    asked: withTokens,
  },
  'tokens of two providers, the other way round': {
    table: { jwt: { optional: false, providers: [machines, staff] } },
    asked: withTokens,
  },
  'tokens of two providers in one place': {
    table: { jwt: { optional: false, providers: [staff, { ...machines, from: [] }] } },
    asked: withTokens,
  },
  'tokens of any issuer': {
    table: { jwt: { optional: false, providers: [provider('any', [staffKey.jwk, machineKey.jwk], { issuer: '' })] } },
    asked: withTokens,
  },
  'tokens, optional': { table: { jwt: { optional: true, providers: [staff] } }, asked: withTokens },
  'tokens of two providers, optional': {
    rule: { rule: { jwt: { optional: true, providers: [staff, machines] } } },
    asked: withTokens,
  },
  'tokens of the Gateway and of the route': {
    table: { jwt: { optional: false, providers: [staff] } },
    rule: { route: { jwt: { optional: false, providers: [staff] } } },
    asked: withTokens,
  },
  'tokens of the Gateway, forwarded, and of the route': {
    table: { jwt: { optional: false, providers: [{ ...staff, forwardToken: true }] } },
    rule: { route: { jwt: { optional: false, providers: [staff] } } },
    asked: withTokens,
  },
  'keys in cookies that the Gateway keeps, and a rule by cookies': {
    table: { apiKeys: keys() },
    rule: {
      route: {
        authorization: rules([
          rule('Allow', { headers: [{ name: 'cookie', values: [{ kind: 'regex', value: '(.*; )?(a|key) ?=.*' }] }] }),
        ]),
      },
    },
    asked: keyed,
  },
  'tokens of the Gateway, of whom one provider forwards them, and a rule by Authorization': {
    table: {
      jwt: {
        optional: true,
        providers: [
          { ...staff, forwardToken: true },
          { ...machines, from: [] },
        ],
      },
    },
    rule: {
      route: {
        authorization: rules([
          rule('Allow', { headers: [{ name: 'authorization', values: [{ kind: 'regex', value: '.*' }] }] }),
        ]),
      },
    },
    asked: withTokens,
  },
  'a token that the Gateway keeps, and a rule by Authorization': {
    table: { jwt: { optional: false, providers: [staff] } },
    rule: {
      route: {
        authorization: rules([
          rule('Allow', { headers: [{ name: 'authorization', values: [{ kind: 'regex', value: '.*' }] }] }),
        ]),
      },
    },
    asked: withTokens,
  },
  claims: {
    table: { jwt: { optional: true, providers: [staff] } },
    rule: {
      rule: {
        authorization: rules([
          rule('Allow', hasClaim(['groups'], 'ops', 'dev')),
          rule('Allow', hasClaim(['realm', 'roles'], 'admin')),
        ]),
      },
    },
    asked: [
      {},
      ...claims(
        {},
        { groups: 'ops' },
        { groups: ['x', 'dev'] },
        { groups: [['ops']] },
        { groups: 'opsx' },
        { groups: { ops: true } },
        { realm: { roles: ['admin'] } },
        { realm: [{ roles: 'admin' }] },
        { 'realm.roles': 'admin' },
        { groups: 7 },
      ),
    ],
  },
  'claims of numbers are no text': {
    table: {
      jwt: { optional: true, providers: [staff] },
      authorization: rules([rule('Allow', hasClaim(['level'], '7', 'true', ''))]),
    },
    asked: claims({ level: 7 }, { level: '7' }, { level: true }, { level: '' }, { level: null }, { level: [7] }),
  },
  scopes: {
    table: { jwt: { optional: true, providers: [staff] } },
    rule: {
      rule: {
        authorization: rules([rule('Allow', { jwt: { provider: staff.id, scopes: ['read', 'write'], claims: [] } })]),
      },
    },
    asked: [
      {},
      ...claims(
        { scope: 'read' },
        { scope: 'write  read x' },
        { scope: ['read', 'write'] },
        { scope: 'read,write' },
        { scope: '' },
        { scp: 'read write' },
      ),
    ],
  },
  'any token, and tokens of a provider that is not there': {
    table: { jwt: { optional: true, providers: [staff, machines] } },
    rule: {
      rule: {
        authorization: rules([
          rule('Allow', { jwt: { provider: staff.id, scopes: [], claims: [] } }),
          rule('Allow', { jwt: { provider: 'x/y/z', scopes: [], claims: [] } }),
        ]),
      },
    },
    asked: withTokens,
  },
  'claims that a header says': {
    table: {
      jwt: {
        optional: true,
        providers: [
          {
            ...staff,
            claimsToHeaders: [
              { claim: ['sub'], header: 'x-user' },
              { claim: ['groups'], header: 'x-groups' },
            ],
          },
        ],
      },
    },
    rule: {
      rule: {
        authorization: rules([
          rule('Allow', { headers: [{ name: 'x-user', values: [{ kind: 'exact', value: 'ann' }] }] }),
          rule('Allow', { headers: [{ name: 'x-groups', values: [{ kind: 'regex', value: '.+' }] }] }),
        ]),
      },
    },
    asked: [
      {},
      { headers: { 'x-user': 'ann' } },
      ...claims({ sub: 'ann' }, { sub: 'bob' }, { sub: ['ann'] }, { groups: ['x'] }, { groups: 7 }),
    ],
  },
  'the client that a header says': {
    table: { apiKeys: keys() },
    rule: {
      rule: {
        authorization: rules(
          [rule('Deny', { headers: [{ name: 'x-client', values: [{ kind: 'exact', value: 'ann' }] }] })],
          'Allow',
        ),
      },
    },
    asked: [{}, { headers: { 'x-api-key': 'k1' } }, { headers: { 'x-api-key': 'k 2', 'x-client': 'ann' } }],
  },
  'rules by path': {
    rule: {
      route: {
        authorization: rules([
          rule('Deny', { paths: [{ kind: 'prefix', value: '/admin' }] }),
          rule('Allow', {
            paths: [
              { kind: 'exact', value: '/x' },
              { kind: 'regex', value: '/r/[0-9]+' },
            ],
          }),
          rule('Allow', { methods: ['POST'] }),
        ]),
      },
    },
    asked: [
      '/',
      '/x',
      '/x?y',
      '/x/',
      '/X',
      '/r/7',
      '/r/7x',
      '/r/7?q',
      '/admin',
      '/adminx',
      '//admin',
      '/a/../admin/x',
      '/x/..;/admin',
      '/x/%2e%2e;y',
      '/x/%2e;',
      '/x/..%3By',
      '/...;x',
      '/%2e%2e%2e;x',
      '/%61dmin',
      '/r/%37',
    ].flatMap((path) => [{ path }, { path, method: 'POST' }]),
  },
  'rules by header': {
    rule: {
      route: {
        authorization: rules([
          rule('Allow', {
            headers: [
              {
                name: 'x-a',
                values: [
                  { kind: 'exact', value: '1' },
                  { kind: 'regex', value: '[2-4]+' },
                ],
              },
            ],
          }),
          rule('Allow', { headers: [{ name: 'x-b', values: [{ kind: 'exact', value: '' }] }] }),
          rule('Allow', {
            not: true,
            headers: [{ name: 'x-c', values: [{ kind: 'exact', value: '1' }] }],
            methods: ['PUT'],
          }),
        ]),
      },
    },
    asked: [
      {},
      ...['1', '2', '23', '5', '1,2', '', ' 1 '].map((value) => ({ headers: { 'x-a': value } })),
      { headers: { 'x-a': ['1', '5'] } },
      { headers: { 'x-a': ['1,5'] } },
      { headers: { 'x-b': '' } },
      { method: 'PUT', headers: { 'x-c': '1' } },
      { method: 'PUT' },
      { headers: { 'x-c': '1' } },
    ],
  },
  'rules by address': {
    rule: {
      rule: {
        authorization: rules([
          rule('Deny', { clientIPs: [cidr('10.9.0.0/16')] }),
          rule('Allow', { clientIPs: [cidr('10.0.0.0/8')] }, { not: true, clientIPs: [cidr('192.0.2.0/24')] }),
        ]),
      },
    },
    asked: addresses,
  },
  'no rule': { rule: { route: { authorization: rules([]) } }, asked: [{}] },
  'no rule, and Allow': { rule: { route: { authorization: rules([], 'Allow') } }, asked: [{}] },
  'a rule without condition': { rule: { route: { authorization: rules([rule('Allow')]) } }, asked: [{}] },
  closed: { table: { closed: ['jwt'], clientIPs: { allow: [cidr('10.0.0.0/8')], deny: [] } }, asked: addresses },
  'closed for a while': { table: { closed: ['jwt'], unavailable: ['jwt'] }, asked: [{}] },
  'closed for a rule': { rule: { rule: { closed: ['clientIPs', 'csrf'] } }, asked: [{}] },
  'switched off': {
    table: { basicAuth: passwords, jwt: { optional: false, providers: [staff] }, overridable: ['basicAuth'] },
    rule: { overrides: ['basicAuth', 'jwt'] },
    asked: [...named, ...withTokens],
  },
  'switched off where the Gateway keeps it': {
    table: { basicAuth: passwords },
    rule: { overrides: ['basicAuth'] },
    asked: named,
  },
  'closed, and switched off': {
    table: { closed: ['basicAuth'], overridable: ['basicAuth'] },
    rule: { overrides: ['basicAuth'] },
    asked: named,
  },
  'a server': { rule: { rule: { forwardAuth } }, asked: [{}, { headers: { 'x-let': 'in' } }] },
  'two servers and a rule': {
    table: { forwardAuth },
    rule: { route: { forwardAuth }, rule: { authorization: rules([rule('Allow', { methods: ['GET'] })]) } },
    asked: [{}, { headers: { 'x-let': 'in' } }, { method: 'POST' }, { method: 'POST', headers: { 'x-let': 'in' } }],
  },
  'a server that is not there': { rule: { rule: { forwardAuth: withoutBackend() } }, asked: [{}] },
  'any of them': {
    table: {
      any: {
        allow: [cidr('10.0.0.0/8')],
        apiKeys: keys(),
        basicAuth: passwords,
        jwt: { optional: false, providers: [staff] },
      },
    },
    rule: {
      rule: {
        authorization: rules(
          [rule('Deny', { headers: [{ name: 'x-user', values: [{ kind: 'exact', value: 'bob' }] }] })],
          'Allow',
        ),
      },
    },
    asked: [
      ...addresses,
      ...keyed,
      ...named,
      ...withTokens,
      { from: '10.1.1.1', headers: { 'x-user': 'bob' } },
      { headers: { 'x-api-key': 'k1', ...basic('ann:word') } },
    ],
  },
  'any of a key and a token': {
    rule: {
      route: {
        any: {
          apiKeys: keys({
            from: [
              { kind: 'cookie', name: 'key' },
              { kind: 'query', name: 'key' },
            ],
          }),
          jwt: { optional: false, providers: [machines] },
        },
      },
    },
    asked: [...keyed, ...withTokens],
  },
  nothing: { asked: [{}, ...keyed] },
};

function withoutBackend(): ir.ForwardAuth {
  const { backend: _, ...nowhere } = forwardAuth;
  return nowhere;
}

/** Any of the parts by hand, or none, at any level, with requests that have something for each. */
const partsByHand = Object.values(byHand).flatMap(
  ({ table: of = {}, rule: { route: whole = {}, rule: own = {} } = {} }) => [of, whole, own],
);
/** With all seven at three levels nothing would ever pass. */
const sometimes = <T>(value: fc.Arbitrary<T>, of: number) =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const oneOf = <P extends ir.AccessPart>(part: P) =>
  sometimes(fc.constantFrom(...partsByHand.flatMap((access) => access[part] ?? [])), 5);
const randomAccess = fc
  .record({
    closed: sometimes(fc.constant(['csrf' as const]), 20),
    clientIPs: oneOf('clientIPs'),
    csrf: oneOf('csrf'),
    any: oneOf('any'),
    apiKeys: oneOf('apiKeys'),
    basicAuth: oneOf('basicAuth'),
    jwt: oneOf('jwt'),
    forwardAuth: oneOf('forwardAuth'),
    authorization: oneOf('authorization'),
  })
  .map((access) => Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined)) as ir.Access);
const askedByHand = Object.values(byHand).flatMap(({ asked }) => asked);
const randomAsked = fc
  .record({
    all: fc.array(fc.constantFrom(...askedByHand), { minLength: 1, maxLength: 4 }),
    let: fc.boolean(),
  })
  .map(({ all, let: isLet }): Asked => {
    const joined: Asked = Object.assign({}, ...all, {
      headers: Object.assign({}, ...all.map(({ headers }) => headers)),
    });
    return isLet ? { ...joined, headers: { ...joined.headers, 'x-let': 'in' } } : joined;
  });
const randomCase: fc.Arbitrary<Case> = fc
  .record({
    table: fc.option(randomAccess, { nil: undefined }),
    route: fc.option(randomAccess, { nil: undefined }),
    rule: fc.option(randomAccess, { nil: undefined }),
    overridable: fc.subarray([...ir.accessParts]),
    overrides: fc.subarray([...ir.accessParts], { maxLength: 3 }),
    asked: fc.array(randomAsked, { minLength: 4, maxLength: 8 }),
  })
  .map(({ table: of, route: whole, rule: own, overridable, overrides, asked }) => ({
    ...(of && { table: { ...of, overridable } }),
    rule: { ...(whole && { route: whole }), ...(own && { rule: own }), ...(overrides.length > 0 && { overrides }) },
    asked,
  }));

const keyOf = (index: number) => `http/${index + 1}`;

function contentOf(cases: readonly Case[], backends: Record<string, number>): GatewayContent {
  return {
    listeners: cases.map((_, index) => {
      const listener = httpListener(keyOf(index));
      return { ...listener, chains: listener.chains.map((chain) => ({ ...chain, client: { trustedHops: 1 } })) };
    }),
    tables: cases.map(({ table: of, rule: access }, index) => ({
      ...table(keyOf(index), {
        exact: [virtualHost(host, [route('HTTPRoute/n/r/0/0', '/', access ? { filters: { access } } : {})])],
      }),
      ...(of && { access: tableGuards(of) }),
    })),
    backends,
  };
}

interface Judged {
  readonly status: number;
  readonly judgement?: Judgement;
}

/** As it is sent now. */
function ofNow({ headers, ...rest }: Asked): Asked {
  if (headers === undefined) return rest;
  const token = staffKey.token({ ...ofStaff, exp: now() - 1 });
  const signedNow = (text: string) => text.replaceAll(justExpired, token);
  const entries = Object.entries(headers).map(([name, values]) => [
    name,
    typeof values === 'string' ? signedNow(values) : values.map(signedNow),
  ]);
  return { ...rest, headers: Object.fromEntries(entries) };
}

/** What is worked out, with a server that lets requests in by `x-let`. */
async function judged(gateway: ir.Fleet, index: number, asked: Asked): Promise<Judged> {
  const { method = 'GET', path = '/', headers = {}, from } = asked;
  const sent = Object.entries({ ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) }).flatMap(
    ([name, values]) => [values].flat().map((value) => [name, value.trim()] as const),
  );
  const result = testRoute(gateway, index + 1, { method, host, path, headers: sent });
  const { request, winner, entrance } = result;
  if (!request || !entrance || !winner) return { status: result.status ?? 0 };
  const address = clientAddress('127.0.0.1', request.header, entrance.chain.client);
  const judgement = await judgeAccess(
    {
      table: demandsOnHost(gateway.tables.get(entrance.chain.table)?.access, winner.host),
      rule: winner.route.rule.filters?.access,
    },
    { ...request, ...(address !== undefined && { address }), now: new Date(), passwords: new PasswordChecks() },
  );
  for (const each of judgement.parts) {
    if (each.verdict === 'denies') return { status: each.status, judgement };
    if (each.verdict === 'asks' && headers['x-let'] !== 'in') return { status: 418, judgement };
    if (each.verdict === 'unknown') throw new Error(each.reason);
  }
  return { status: 200, judgement };
}

async function compare(
  t: Parameters<typeof startProxy>[0],
  cases: readonly (readonly [string, Case])[],
): Promise<number> {
  const web = await startBackend(t);
  const auth = await startBackend(t, ({ headers }, response) => {
    response.writeHead(headers['x-let'] === 'in' ? 200 : 418).end();
  });
  const content = contentOf(
    cases.map(([, each]) => each),
    { web: web.port, auth: auth.port },
  );
  const { cluster } = await startPasswordAgent(t);
  const { envoy } = await startProxy(t, content, 'delta', [cluster]);
  const gateway = snapshotOf(content).gateways.get(gatewayKey) as ir.Fleet;
  const seen = new Map<number, number>();
  for (const [index, [name, each]] of cases.entries()) {
    const port = await envoy.port(keyOf(index));
    for (const given of each.asked) {
      const asked = ofNow(given);
      const { from, headers = {}, ...rest } = asked;
      const sent = { ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) } as Record<string, string>;
      const { status } = await send(port, { host, ...rest, headers: sent });
      const worked = await judged(gateway, index, asked);
      t.is(worked.status, status, `${name}: ${JSON.stringify(asked)} ${JSON.stringify(worked.judgement)}`);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  }
  t.log(Object.fromEntries(seen));
  return [...seen.values()].reduce((sum, count) => sum + count, 0);
}

test('cases by hand', async (t) => {
  const cases = every(12, Object.entries(byHand));
  const count = await compare(t, cases);
  t.true(count > repetitions({ few: 30, all: 500 }), `${count} requests`);
});

test('random cases', async (t) => {
  const seed = Date.now() % 1_000_000_007;
  t.log({ seed });
  const cases = fc.sample(randomCase, { numRuns: repetitions({ few: 3, all: 60 }), seed });
  await compare(
    t,
    cases.map((each, index) => [`seed ${seed}, ${index}`, each] as const),
  );
});

/** What may be in one place. */
const ofPlace = (() => {
  const [good, machine] = [staffKey.token(ofStaff), machineKey.token(ofMachines)];
  const spoilt = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;
  const otherAudience = staffKey.token({ ...ofStaff, aud: 'x' });
  return [undefined, good, spoilt(good), otherAudience, machine, spoilt(machine), 'x'];
})();

thorough(test)('tokens in three places, of two providers, one, and none', async (t) => {
  const asked = ofPlace.flatMap((inBearer) =>
    ofPlace.flatMap((inHeader) =>
      ofPlace.map((inQuery) => ({
        headers: { ...(inBearer && bearer(inBearer)), ...(inHeader && { 'x-token': inHeader }) },
        path: inQuery ? `/?token=${inQuery}` : '/',
      })),
    ),
  );
  const lists = { both: [staff, machines], 'the other way round': [machines, staff], one: [machines] };
  const cases = Object.entries(lists).flatMap(([name, providers]) =>
    [true, false].map(
      (optional) =>
        [
          `${name}, ${optional ? 'optional' : 'needed'}`,
          { rule: { rule: { jwt: { optional, providers } } }, asked },
        ] as const,
    ),
  );
  t.is(await compare(t, cases), 6 * 7 ** 3);
});
