import test from 'ava';
import {
  accessPolicyAffected,
  type GatewayStatus,
  type KubernetesObject,
  kinds,
  type PolicyStatus,
} from '../../src/gateway-api/index.ts';
import { json, keySet, signer, startKeyServer } from '../support/key-server.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { untilFits } from '../support/until.ts';

/** AccessPolicy as the API server takes it, and a control plane with the rights of rbac/ and no more. */
let operator: KubeOperator;
const place = 'gatewright-system';

const objects = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: gatewright
  listeners: [{name: http, port: 80, protocol: HTTP}]
`;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({
    own: ['dataplanes', 'accesspolicies'],
    objects,
    leaderElection: `{enabled: false, namespace: ${place}}`,
  });
});
test.after.always(() => operator?.stop());

const policy = (name: string, spec: object) =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name, namespace: 'shop' },
    spec,
  }) as unknown as KubernetesObject;

const group = 'gateway.networking.k8s.io';
const edge = { targetRefs: [{ group, kind: 'Gateway', name: 'edge' }] };
const route = { targetRefs: [{ group, kind: 'HTTPRoute', name: 'web' }] };
const keys = { secretRefs: [{ name: 'keys' }] };
const provider = (jwks: object, more = {}) => ({ ...edge, jwt: { providers: [{ name: 'a', jwks, ...more }] } });
const signIn = (url: string) => ({ ...edge, forwardAuth: { backendRef: { name: 'a', port: 80 }, signIn: { url } } });
const asks = (fields: object) => ({ ...edge, forwardAuth: { backendRef: { name: 'a', port: 80 }, ...fields } });
const xBackend = { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'a' };
const rule = (fields: object) => ({ ...edge, authorization: { rules: [{ name: 'a', action: 'Allow', ...fields }] } });

const endpoints = { authorization: 'https://id.test/auth', token: 'https://id.test/token' };
const login = (oidc: object, more = {}) => ({
  ...edge,
  oidc: { client: { id: 'gw', secretRef: { name: 'oidc' } }, endpoints, ...oidc },
  ...more,
});
const bearer = { passThrough: [{ header: { name: 'authorization', prefix: 'Bearer ' } }] };

const rejected: Readonly<Record<string, readonly [spec: object, message: RegExp]>> = {
  'a policy that demands nothing': [edge, /say what is demanded/],
  'a kind without connections': [
    { targetRefs: [{ group, kind: 'UDPRoute', name: 'a' }], csrf: {} },
    /Unsupported value/,
  ],
  'too many targets': [{ targetRefs: Array(17).fill(edge.targetRefs[0]), csrf: {} }, /at most 16/],
  'overridable without a Gateway': [
    { ...route, csrf: {}, overridable: ['csrf'] },
    /overridable is for a Gateway, a ListenerSet/,
  ],
  'overrides without a route': [{ ...edge, overrides: ['csrf'] }, /overrides is for listeners/],
  'a part that there is not': [{ ...route, overrides: ['sso'] }, /Unsupported value/],
  'addresses of no kind': [{ ...edge, clientIPs: {} }, /set allow, deny or both/],
  'no network': [{ ...edge, clientIPs: { allow: ['nonsense'] } }, /allow/],
  'no place of a key': [{ ...edge, apiKeys: { ...keys, from: [] } }, /at least 1/],
  'two places in one': [{ ...edge, apiKeys: { ...keys, from: [{ header: 'a', query: 'b' }] } }, /exactly one/],
  'keys of two origins': [provider({ inline: '{}', secretRef: { name: 'a' } }), /exactly one/],
  'keys of no origin': [provider({}), /exactly one/],
  'keys by plain text': [provider({ url: 'http://id.example.com/keys' }), /jwks.url/],
  'keys of a URL with credentials': [provider({ url: 'https://a:b@id.example.com/keys' }), /jwks.url/],
  'discovery without an issuer': [provider({ discovery: {} }), /needs an issuer/],
  'authorities of a Service': [
    provider({ backendRef: { name: 'a', port: 80, path: '/k' }, caCertificateRefs: [{ name: 'a' }] }),
    /caCertificateRefs is for url/,
  ],
  'a place of a token that is none': [provider({ inline: '{}' }, { from: {} }), /set headers, cookies or queryParams/],
  'a claim that is two': [
    provider({ inline: '{}' }, { claimsToHeaders: [{ claim: 'a', path: ['b'], header: 'c' }] }),
    /exactly one/,
  ],
  'a status that proxies do not know': [asks({ statusOnError: 499 }), /must be one of 400 to 417/],
  'HTTP and gRPC': [{ ...edge, forwardAuth: { backendRef: { name: 'a', port: 80 }, http: {}, grpc: {} } }, /not both/],
  'a question by a method that may change something': [asks({ http: { method: 'DELETE' } }), /Unsupported value/],
  'an answer that is no word': [asks({ http: { allowWith: 'Redirect' } }), /Unsupported value/],
  'a query with a fragment': [asks({ http: { path: '/a?b#c' } }), /path/],
  'a Service without a port': [asks({ backendRef: { name: 'a' } }), /a Service needs a port/],
  'an XBackend with a port': [asks({ backendRef: { ...xBackend, port: 80 } }), /an XBackend has its own/],
  'an XBackend of no group': [
    asks({ backendRef: { kind: 'XBackend', name: 'a' } }),
    /XBackend gateway.networking.x-k8s.io/,
  ],
  'a wait without end': [
    { ...edge, forwardAuth: { backendRef: { name: 'a', port: 80 }, timeout: '1h' } },
    /longer than 1m/,
  ],
  'one credential that is enough': [
    { ...edge, satisfy: 'Any', basicAuth: { secretRef: { name: 'a' } } },
    /two or more/,
  ],
  'a token that may be missing as one of several': [
    {
      ...edge,
      satisfy: 'Any',
      clientIPs: { allow: ['10.0.0.0/8'] },
      jwt: { optional: true, ...provider({ inline: '{}' }).jwt },
    },
    /let everyone in/,
  ],
  'a part that is none of its own': [
    {
      ...edge,
      satisfy: 'Any',
      apiKeys: { ...keys, from: [{ header: 'a' }] },
      basicAuth: { secretRef: { name: 'a' } },
      overridable: ['apiKeys'],
    },
    /list any in overridable/,
  ],
  'a page to sign in on another host without a scheme': [signIn('//evil.test/a'), /url/],
  'a page to sign in of another scheme': [signIn('javascript:alert(1)'), /url/],
  'a page to sign in with a fragment': [signIn('https://id.test/#a'), /url/],
  'every origin with credentials': [
    { ...edge, cors: { allowOrigins: ['https://a.test', '*'], allowCredentials: true } },
    /every page act/,
  ],
  'an origin with a path': [{ ...edge, cors: { allowOrigins: ['https://a.test/b'] } }, /allowOrigins/],
  'a login without a provider': [login({ endpoints: undefined }), /exactly one of issuer and endpoints/],
  'a login at two providers': [login({ issuer: 'https://id.test' }), /exactly one of issuer and endpoints/],
  'a login without a client': [{ ...edge, oidc: { endpoints } }, /client/],
  'an issuer by plain HTTP': [login({ endpoints: undefined, issuer: 'http://id.test' }), /oidc.issuer/],
  'an endpoint with credentials': [login({ endpoints: { ...endpoints, token: 'https://a:b@id.test/t' } }), /token/],
  'a path to come back to with a query': [login({ redirectPath: '/a?b' }), /redirectPath/],
  'a path with a format of Envoy’s': [login({ redirectPath: '/%REQ(cookie)%' }), /redirectPath/],
  'two ways back': [
    login({ redirectPath: '/a', redirectURL: 'https://a.test/b', cookies: { domain: 'a.test' } }),
    /not both/,
  ],
  'one way back for hosts that share nothing': [login({ redirectURL: 'https://a.test/b' }), /set cookies.domain/],
  'cookies of a whole top-level domain': [login({ cookies: { domain: 'test' } }), /domain/],
  'a condition that is none': [login({ denyRedirect: [{}] }), /exactly one of path and header/],
  'a header with two values': [
    login({ denyRedirect: [{ header: { name: 'a', value: 'b', prefix: 'c' } }] }),
    /not both/,
  ],
  'requests without a login or a token': [login(bearer), /passThrough leaves requests to jwt/],
  'requests without a login whose token may be missing': [
    login(bearer, { jwt: { optional: true, ...provider({ inline: '{}' }).jwt } }),
    /passThrough leaves requests to jwt/,
  ],
  'requests without a login whose token may be switched off': [
    login(bearer, { jwt: provider({ inline: '{}' }).jwt, overridable: ['jwt'] }),
    /together with oidc/,
  ],
  'a header that cannot be': [login({ forward: { idTokenHeader: 'a b' } }), /idTokenHeader/],
  'when and any': [rule({ when: { methods: ['GET'] }, any: [{ methods: ['PUT'] }] }), /not both/],
  'a path that is two': [rule({ when: { paths: [{ exact: '/a', prefix: '/b' }] } }), /exactly one/],
  'more than 64 rules': [
    { ...edge, authorization: { rules: Array.from({ length: 65 }, (_, at) => ({ name: `r${at}`, action: 'Deny' })) } },
    /at most 64/,
  ],
  'an expression that is too long': [
    rule({ when: { cel: `'${'a'.repeat(1023)}'` } }),
    /may not be more than 1024|Too long/,
  ],
  'two rules of one name': [
    { ...edge, authorization: { rules: [1, 2].map(() => ({ name: 'a', action: 'Deny' })) } },
    /duplicate entries/,
  ],
};

for (const [what, [spec, message]] of Object.entries(rejected)) {
  test(`the API server does not take ${what}`, async (t) => {
    const error = await t.throwsAsync(operator.api.client.apply(kinds.AccessPolicy, policy('bad', spec)));
    t.regex(String(error?.message), message);
  });
}

for (const target of [
  { kind: 'Gateway', name: 'edge', sectionName: 'http' },
  { kind: 'ListenerSet', name: 'team' },
  { kind: 'ListenerSet', name: 'team', sectionName: 'http' },
  { kind: 'TCPRoute', name: 'a' },
  { kind: 'TLSRoute', name: 'a' },
]) {
  test(`the API server takes a target ${JSON.stringify(target)}`, async (t) => {
    const name = `taken-${Object.values(target).join('-').toLowerCase()}`;
    const spec = { targetRefs: [{ group, ...target }], clientIPs: { deny: ['10.0.0.0/8'] } };
    await t.notThrowsAsync(operator.api.client.apply(kinds.AccessPolicy, policy(name, spec)));
  });
}

test('a policy with every part is taken, with defaults, and its status is written', async (t) => {
  const { client } = operator.api;
  const spec = {
    ...edge,
    overridable: ['jwt'],
    clientIPs: { allow: ['10.0.0.0/8'], deny: ['10.9.0.0/16'] },
    csrf: { additionalOrigins: ['*.corp.test'] },
    apiKeys: { ...keys, from: [{ header: 'x-key' }] },
    basicAuth: { secretRef: { name: 'users' } },
    jwt: { providers: [{ name: 'staff', jwks: { configMapRef: { name: 'idp' } } }] },
    forwardAuth: {
      backendRef: { name: 'auth', port: 80 },
      http: {
        path: '/oauth2/auth?allowed_groups=staff',
        method: 'GET',
        allowWith: 'Successful',
        setHeaders: [{ name: 'X-Original-Method', value: '%REQ(:METHOD)%' }],
      },
      exceptClientIPs: ['10.0.0.0/8'],
      signIn: { url: '/oauth2/start?theme=dark' },
    },
    authorization: { rules: [{ name: 'all', action: 'Allow' }] },
    cors: {
      allowOrigins: ['https://*.corp.test', 'http://a.test:8080'],
      allowMethods: ['PUT'],
      allowCredentials: true,
    },
  };
  await client.apply(kinds.AccessPolicy, policy('whole', spec));
  const read = async () =>
    (await client.find(kinds.AccessPolicy, { namespace: 'shop', name: 'whole' })) as KubernetesObject | undefined;
  const conditions = async () => {
    const { ancestors = [] } = ((await read())?.status ?? {}) as Partial<PolicyStatus>;
    return ancestors.flatMap((one) => one.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`));
  };
  await untilFits(
    'its status',
    conditions,
    (found) => found.join() === 'Accepted=True Accepted,ResolvedRefs=False SecretNotFound',
  );
  t.like((await read())?.spec, {
    forwardAuth: { statusOnError: 503, timeout: '10s', failOpen: false, signIn: { returnParam: 'rd' } },
    authorization: { default: 'Deny' },
    jwt: { optional: false },
    cors: { maxAge: 5 },
  } as never);
});

test('keys that are fetched are kept in a ConfigMap of the control plane’s namespace, with the rights of rbac/', async (t) => {
  const { client } = operator.api;
  const server = await startKeyServer(t);
  server.answer = json(keySet([await signer('one')]));
  const ca = server.trust('id-ca') as KubernetesObject;
  await client.apply(kinds.ConfigMap, { ...ca, metadata: { ...ca.metadata, namespace: 'shop' } });
  const url = { url: `${server.url}/keys`, caCertificateRefs: [{ name: 'id-ca' }] };
  await client.apply(kinds.AccessPolicy, policy('fetched', { ...provider(url), ...route }));
  const kept = async () =>
    (await client.list<KubernetesObject>(kinds.ConfigMap, { namespace: place })).filter(({ metadata }) =>
      metadata.name.startsWith('gatewright-keys-'),
    ) as unknown as readonly {
      readonly data: Record<string, string>;
      readonly metadata: KubernetesObject['metadata'];
    }[];
  const [found] = await untilFits('the keys to be kept', kept, (all) => all[0]?.data['jwks.json'] !== undefined);
  t.is(found?.data.source, url.url);
  t.regex(found?.data['jwks.json'] ?? '', /"kid":"one"/);
  t.is(found?.metadata.labels?.['gatewright.dev/fetched-keys'], 'true');
  const { graph } = operator.control;
  await untilFits(
    'the replica to see them',
    () => graph.find('ConfigMap', `${place}/${found?.metadata.name}`)?.data?.['jwks.json'],
    (keys) => keys !== undefined,
  );
});

test('a listener says in its status which policy acts on it, until the policy is gone', async (t) => {
  const { client } = operator.api;
  const name = 'of-a-listener';
  const targetRefs = [{ group, kind: 'Gateway', name: 'edge', sectionName: 'http' }];
  await client.apply(kinds.AccessPolicy, policy(name, { targetRefs, csrf: {} }));
  const said = async () => {
    const found = (await client.find(kinds.Gateway, { namespace: 'shop', name: 'edge' })) as
      | KubernetesObject
      | undefined;
    const { listeners = [] } = (found?.status ?? {}) as Partial<GatewayStatus>;
    return listeners.flatMap(({ conditions }) => conditions.filter(({ type }) => type === accessPolicyAffected));
  };
  const [condition] = await untilFits('the condition', said, (all) =>
    all.some(({ message }) => message.includes(name)),
  );
  t.like(condition, { status: 'True', reason: 'PolicyAffected' });
  await client.delete(kinds.AccessPolicy, { namespace: 'shop', name });
  await untilFits('the condition to be gone', said, (all) => !all.some(({ message }) => message.includes(name)));
});

test('the key of all logins is made in the control plane’s namespace, with the rights of rbac/, and once more when it is deleted', async (t) => {
  const { client } = operator.api;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'oidc', namespace: 'shop' } };
  await client.apply(kinds.Secret, { ...secret, stringData: { 'client-secret': 's' } } as never);
  const { control } = operator;
  t.is(control.graph.find('Secret', `${place}/gatewright-login-key`), undefined, 'no policy has logins yet');
  await client.apply(kinds.AccessPolicy, policy('login', login({ logout: { path: '/out' } })));
  const key = () => control.graph.find('Secret', `${place}/gatewright-login-key`)?.data?.['login.key'];
  const first = await untilFits('the key', key, (found) => found !== undefined);
  t.is(Buffer.from(first ?? '', 'base64').length, 32);
  const read = async () => {
    const found = await client.find<KubernetesObject>(kinds.AccessPolicy, { namespace: 'shop', name: 'login' });
    const { ancestors = [] } = (found?.status ?? {}) as Partial<PolicyStatus>;
    return ancestors.flatMap((one) => one.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`));
  };
  // The Gateway has no HTTPS listener.
  await untilFits('its status', read, (all) => all.join() === 'Accepted=False Invalid,ResolvedRefs=True ResolvedRefs');
  await client.delete(kinds.Secret, { namespace: place, name: 'gatewright-login-key' });
  await untilFits('another key', key, (found) => found !== undefined && found !== first);
});
