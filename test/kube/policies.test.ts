import { readFile } from 'node:fs/promises';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/object.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { untilFits } from '../support/until.ts';

/** BackendPolicy, ListenerPolicy, TrafficPolicy and HTTPFilter as the API server takes them, and a control plane with the rights of rbac/ and no more. */
let operator: KubeOperator | undefined;
let api: KubeApiServer;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({
    own: ['dataplanes', 'backendpolicies', 'listenerpolicies', 'trafficpolicies', 'httpfilters'],
  });
  api = operator.api;
});
test.after.always(() => operator?.stop());

type PolicyKind = 'BackendPolicy' | 'HTTPFilter' | 'ListenerPolicy' | 'TrafficPolicy';

const policy = (kind: PolicyKind, name: string, spec: object) =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec,
  }) as unknown as KubernetesObject;

const web = { targetRefs: [{ group: '', kind: 'Service', name: 'web' }] };
const edge = { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }] };
const http = { http: {} };

const rejected: Readonly<Record<string, readonly [PolicyKind, object, RegExp]>> = {
  'a BackendPolicy that says nothing': ['BackendPolicy', web, /say something/],
  'two ways to check': ['BackendPolicy', { ...web, healthCheck: { active: { http: {}, tcp: {} } } }, /exactly one/],
  'a check that overtakes itself': [
    'BackendPolicy',
    { ...web, healthCheck: { active: { ...http, interval: '1s', timeout: '2s' } } },
    /timeout must not be longer/,
  ],
  'checks at no port': ['BackendPolicy', { ...web, healthCheck: { active: { ...http, port: 0 } } }, /active.port/],
  'a hash of nothing': ['BackendPolicy', { ...web, loadBalancer: { type: 'ConsistentHash' } }, /has consistentHash/],
  'a header for a hash of addresses': [
    'BackendPolicy',
    {
      ...web,
      loadBalancer: { type: 'ConsistentHash', consistentHash: { type: 'SourceIP', header: { name: 'a' } } },
    },
    /type Header, and no other/,
  ],
  'a slow start at random': [
    'BackendPolicy',
    { ...web, loadBalancer: { type: 'Random', slowStart: { window: '1s' } } },
    /slowStart is for/,
  ],
  'a wait without end': ['BackendPolicy', { ...web, timeouts: { connect: '1h' } }, /longer than 10m/],
  'too many targets': [
    'BackendPolicy',
    {
      targetRefs: Array.from({ length: 17 }, (_, index) => ({ group: '', kind: 'Service', name: `s${index}` })),
      tcpKeepalive: {},
    },
    /16/,
  ],
  'a TrafficPolicy that says nothing': ['TrafficPolicy', edge, /say what is to happen/],
  'a group that has a value and has none': [
    'TrafficPolicy',
    { ...edge, retry: {}, disabled: ['retry'] },
    /cannot be disabled and have a value/,
  ],
  'a wait that ends before it begins': [
    'TrafficPolicy',
    { ...edge, retry: { backoff: { base: '2s', max: '1s' } } },
    /must not be shorter than base/,
  ],
  'a retry after what is no failure': ['TrafficPolicy', { ...edge, retry: { codes: [200] } }, /400/],
  'a body limit that is no size': ['TrafficPolicy', { ...edge, requestBody: { maxBytes: '10MB' } }, /maxBytes/],
  'an algorithm that there is not': [
    'TrafficPolicy',
    { ...edge, compression: { algorithms: ['Deflate'] } },
    /Unsupported value/,
  ],
  'more than memory can keep': [
    'TrafficPolicy',
    { ...edge, buffering: { request: { maxBytes: '100Mi' } } },
    /maxBytes/,
  ],
  'a speed that is no number of KiB': [
    'TrafficPolicy',
    { ...edge, bandwidth: { perRequest: { response: '100k' } } },
    /response/,
  ],
  'a place that is the beginning of another host': [
    'TrafficPolicy',
    { ...edge, responseLocation: [{ from: 'http://inside', to: '/' }] },
    /from/,
  ],
  'a place that is an expression': [
    'TrafficPolicy',
    { ...edge, responseLocation: [{ from: '/', to: "/' + request.headers['cookie'] + '/" }] },
    /to/,
  ],
  'success that nothing has': ['TrafficPolicy', { ...edge, admission: { successRate: 101 } }, /less than or equal/],
  'every request rejected': ['TrafficPolicy', { ...edge, admission: { maxRejectPercent: 100 } }, /less than or equal/],
  'a window without length': ['TrafficPolicy', { ...edge, admission: { window: '10ms' } }, /at least 1s/],
  'a fault with two statuses': [
    'TrafficPolicy',
    { ...edge, faults: { abort: { status: 503, grpcStatus: 14, percent: 1 } } },
    /and not both/,
  ],
  'a fault without a status': ['TrafficPolicy', { ...edge, faults: { abort: { percent: 1 } } }, /say the status/],
  'a fault that is a success': [
    'TrafficPolicy',
    { ...edge, faults: { abort: { grpcStatus: 0, percent: 1 } } },
    /greater than or equal to 1/,
  ],
  'bandwidth of nothing': ['TrafficPolicy', { ...edge, bandwidth: {} }, /at least 1/],
  'a total of nothing': ['TrafficPolicy', { ...edge, bandwidth: { total: {} } }, /at least 1/],
  'a total without a unit': ['TrafficPolicy', { ...edge, bandwidth: { total: { request: '5' } } }, /should match/],
  'settings of gRPC-Web': ['TrafficPolicy', { ...edge, grpcWeb: { enabled: true } }, /grpcWeb/],
  'upgrades of nothing': ['TrafficPolicy', { ...edge, upgrades: {} }, /say what clients may do/],
  'a tunnel by another name': [
    'TrafficPolicy',
    { ...edge, upgrades: { protocols: ['connect'] } },
    /connect is a method/,
  ],
  'a place that tunnels lead to': ['TrafficPolicy', { ...edge, upgrades: { connect: { host: 'a.test' } } }, /connect/],
  'cookies that stay as they are': ['TrafficPolicy', { ...edge, responseCookies: {} }, /say what changes/],
  'cookies that browsers drop': [
    'TrafficPolicy',
    { ...edge, responseCookies: { sameSite: 'None' } },
    /sameSite None needs secure/,
  ],
  'a path that is more than a path': [
    'TrafficPolicy',
    { ...edge, responseCookies: { path: [{ from: '/', to: '/; Domain=evil.test' }] } },
    /to/,
  ],
  'a page for no error': [
    'TrafficPolicy',
    { ...edge, errorPages: [{ body: { contentType: 'text/html', inline: '' } }] },
    /say for which statuses/,
  ],
  'a page for what is no error': [
    'TrafficPolicy',
    { ...edge, errorPages: [{ codes: [200], body: { contentType: 'text/html', inline: '' } }] },
    /400/,
  ],
  'a page that is in two places': [
    'TrafficPolicy',
    {
      ...edge,
      errorPages: [{ codes: [404], body: { contentType: 'text/html', inline: '', configMapRef: { name: 'pages' } } }],
    },
    /exactly one of inline and configMapRef/,
  ],
  'a type that is a format': [
    'TrafficPolicy',
    { ...edge, errorPages: [{ codes: [404], body: { contentType: 'text/%REQ(cookie)%', inline: '' } }] },
    /contentType/,
  ],
  'a fault that does nothing': ['TrafficPolicy', { ...edge, faults: {} }, /say what goes wrong/],
  'more than all requests': [
    'TrafficPolicy',
    { ...edge, faults: { abort: { status: 503, percent: 101 } } },
    /less than or equal to 100/,
  ],
  'timeouts of nothing': ['TrafficPolicy', { ...edge, timeouts: {} }, /say which/],
  'a hash of a header without a name': ['TrafficPolicy', { ...edge, hash: [{ type: 'Header' }] }, /name is for/],
  'a hash of an address with a name': [
    'TrafficPolicy',
    { ...edge, hash: [{ type: 'SourceIP', name: 'a' }] },
    /name is for/,
  ],
  'spans without a share': ['TrafficPolicy', { ...edge, tracing: { spanName: 'a' } }, /samplingPercent/],
  'a span with a value from two places': [
    'TrafficPolicy',
    { ...edge, tracing: { samplingPercent: 1, tags: [{ name: 'a', value: 'b', requestHeader: 'c' }] } },
    /set value or requestHeader/,
  ],
  'a Service to fail over to, of another group': [
    'BackendPolicy',
    { ...web, failover: { backendRefs: [{ group: 'multicluster.x-k8s.io', name: 'a' }] } },
    /a Service of the empty group/,
  ],
  'five Services to fail over to': [
    'BackendPolicy',
    { ...web, failover: { backendRefs: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })) } },
    /at most 4/,
  ],
  'traffic of connections': [
    'TrafficPolicy',
    { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'TCPRoute', name: 'a' }], retry: {} },
    /Unsupported value/,
  ],
  'a filter that says nothing': ['HTTPFilter', {}, /at least 1 propert/],
  'a filter that says two things': [
    'HTTPFilter',
    { regexRewrite: { pattern: 'a', substitution: '' }, directResponse: {} },
    /at most 1/,
  ],
  'a rewrite to a path with a query': [
    'HTTPFilter',
    { regexRewrite: { pattern: 'a', substitution: '/a?b' } },
    /should match/,
  ],
  'a cookie with a space': ['HTTPFilter', { cookieMatch: { name: 'a b', value: '1' } }, /should match/],
  'a redirect without an end': [
    'HTTPFilter',
    { regexRedirect: { pattern: 'a', substitution: 'b', statusCode: 305 } },
    /Unsupported value/,
  ],
  'two sources of Host': [
    'HTTPFilter',
    { hostRewrite: { fromHeader: 'x-a', fromPathRegex: { pattern: 'a', substitution: 'b' } } },
    /either fromHeader or fromPathRegex/,
  ],
  'a former Host of no other': [
    'HTTPFilter',
    { hostRewrite: { forwardedHost: true } },
    /either fromHeader or fromPathRegex/,
  ],
  'a Host that is none': [
    'HTTPFilter',
    { hostRewrite: { fromPathRegex: { pattern: 'a', substitution: 'a/b' } } },
    /should match/,
  ],
  'two bodies': ['HTTPFilter', { directResponse: { body: 'a', configMapRef: { name: 'a' } } }, /either body or/],
  'a body where none can be': ['HTTPFilter', { directResponse: { status: 204, body: 'a' } }, /has no body/],
  'an answer that is none': ['HTTPFilter', { directResponse: { status: 100 } }, /greater than or equal to 200/],
  'a body that is too long': ['HTTPFilter', { directResponse: { body: 'x'.repeat(4097) } }, /4096/],
  'a header with a space': [
    'HTTPFilter',
    { headers: { request: { set: [{ name: 'x a', value: 'b' }] } } },
    /should match/,
  ],
  'a header twice': [
    'HTTPFilter',
    { headers: { response: { add: ['b', 'c'].map((value) => ({ name: 'a', value })) } } },
    /duplicate entries for key/,
  ],
  'a credential from nowhere': ['HTTPFilter', { credentialInjection: {} }, /secretRef/],
  'headers of nothing': ['HTTPFilter', { headers: { request: {} } }, /at least 1/],
  'two ways to name headers': [
    'HTTPFilter',
    { headers: { request: { removeMatching: [{ prefix: 'x-a', pattern: 'x-a' }] } } },
    /at most 1/,
  ],
  'no way to name headers': ['HTTPFilter', { headers: { request: { removeMatching: [{}] } } }, /at least 1/],
  'a ListenerPolicy that says nothing': ['ListenerPolicy', edge, /say something/],
  'versions of TLS that leave none': [
    'ListenerPolicy',
    { ...edge, tls: { minVersion: '1.3', maxVersion: '1.2' } },
    /minVersion must not be newer/,
  ],
  'two ways to know proxies': [
    'ListenerPolicy',
    { ...edge, clientIP: { trustedHops: 1, trustedCIDRs: ['10.0.0.0/8'] } },
    /set one of them/,
  ],
  'a header of whichever client': [
    'ListenerPolicy',
    { ...edge, clientIP: { header: 'X-Real-IP' } },
    /set trustedCIDRs/,
  ],
  'a header that has no address': [
    'ListenerPolicy',
    { ...edge, clientIP: { trustedCIDRs: ['10.0.0.0/8'], header: 'X-Envoy-Internal' } },
    /single address/,
  ],
  'a way to use lists that are not named': ['ListenerPolicy', { ...edge, tls: { crlCheck: 'Leaf' } }, /set crlRef/],
  'proxies in front that are not named': [
    'ListenerPolicy',
    { ...edge, headers: { clientCertificate: 'Append' } },
    /name their certificates in tls.clientPins/,
  ],
  'a hash that is none': [
    'ListenerPolicy',
    { ...edge, tls: { clientPins: { certificateHashes: ['12:34'] } } },
    /certificateHashes/,
  ],
  'a host for requests that are not taken': [
    'ListenerPolicy',
    { ...edge, http1: { defaultHost: 'a.test' } },
    /set allowHTTP10/,
  ],
  'a default host that is none': [
    'ListenerPolicy',
    { ...edge, http1: { allowHTTP10: true, defaultHost: 'a.test/b' } },
    /defaultHost/,
  ],
  'a case of headers that there is not': [
    'ListenerPolicy',
    { ...edge, http1: { headerCase: 'Upper' } },
    /Unsupported value/,
  ],
  'an answer that is waited for longer than a ping is away': [
    'ListenerPolicy',
    { ...edge, http2: { keepalive: { interval: '2s', timeout: '2s' } } },
    /timeout must be shorter/,
  ],
  'checks of every path': ['ListenerPolicy', { ...edge, healthCheck: { path: '/' } }, /healthCheck.path/],
  'checks of a path with a query': ['ListenerPolicy', { ...edge, healthCheck: { path: '/a?b' } }, /healthCheck.path/],
  'a body that is only read': [
    'BackendPolicy',
    { ...web, healthCheck: { active: { http: { body: 'a' } } } },
    /body is for method POST/,
  ],
  'another version of HTTP to change to': [
    'ListenerPolicy',
    { ...edge, http1: { upgrades: ['h2c'] } },
    /neither is a protocol to change to/,
  ],
  'a line with a field that is not known': [
    'ListenerPolicy',
    { ...edge, accessLog: { enabled: true, text: '%method% %ENVIRONMENT(HOME)%' } },
    /accessLog.text/,
  ],
  'a condition of nothing': [
    'ListenerPolicy',
    { ...edge, accessLog: { enabled: true, when: [{}] } },
    /at least 1 properties/,
  ],
  'a log of a route that is off, with tags': [
    'TrafficPolicy',
    { ...edge, accessLog: { enabled: false, tags: [{ name: 'a', value: 'b' }] } },
    /with enabled: false nothing else/,
  ],
  'a log of a route from a higher status to a lower one': [
    'TrafficPolicy',
    { ...edge, accessLog: { enabled: true, minStatus: 500, maxStatus: 400 } },
    /minStatus must not be above maxStatus/,
  ],
  'spans to two places': [
    'ListenerPolicy',
    {
      ...edge,
      tracing: { otlp: { backendRef: { name: 'a', port: 1 } }, zipkin: { backendRef: { name: 'a', port: 1 } } },
    },
    /exactly one of otlp, zipkin and datadog/,
  ],
  'a tag with two values': [
    'ListenerPolicy',
    {
      ...edge,
      tracing: { otlp: { backendRef: { name: 'a', port: 1 } }, tags: [{ name: 'a', value: 'b', requestHeader: 'c' }] },
    },
    /set value or requestHeader/,
  ],
  'changes of no header': ['ListenerPolicy', { ...edge, headers: { request: {} } }, /at least 1/],
  'a header that lines end in': [
    'ListenerPolicy',
    { ...edge, headers: { response: { set: [{ name: 'a\r\nb', value: 'c' }] } } },
    /should match/,
  ],
  'a forwarded header that there is not': [
    'ListenerPolicy',
    { ...edge, headers: { forwarded: { add: ['X-Client'] } } },
    /Unsupported value/,
  ],
  'request ids of a kind that there is not': [
    'ListenerPolicy',
    { ...edge, headers: { requestID: { mode: 'Random' } } },
    /Unsupported value/,
  ],
  'versions of TLS that no backend can have': [
    'BackendPolicy',
    { ...web, tls: { minVersion: '1.3', maxVersion: '1.0' } },
    /minVersion must not be newer/,
  ],
  'pins without a hash': [
    'BackendPolicy',
    { ...web, tls: { verification: { mode: 'Pinned' } } },
    /mode Pinned, and no other/,
  ],
  'a hash of no length': [
    'BackendPolicy',
    { ...web, tls: { verification: { mode: 'Pinned', certificateHashes: ['ab'] } } },
    /certificateHashes/,
  ],
  'hashes where none count': [
    'BackendPolicy',
    { ...web, tls: { verification: { mode: 'None', publicKeyHashes: [`${'a'.repeat(43)}=`] } } },
    /mode Pinned, and no other/,
  ],
  'a cookie of a backend that browsers would drop from frames': [
    'BackendPolicy',
    {
      ...web,
      loadBalancer: {
        type: 'ConsistentHash',
        consistentHash: { type: 'Cookie', cookie: { name: 'a', ttl: '1h', partitioned: true } },
      },
    },
    /partitioned needs secure/,
  ],
  'a cookie of a backend that browsers drop': [
    'BackendPolicy',
    {
      ...web,
      loadBalancer: {
        type: 'ConsistentHash',
        consistentHash: { type: 'Cookie', cookie: { name: 'a', ttl: '0s', sameSite: 'None' } },
      },
    },
    /sameSite None needs secure/,
  ],
  'fewer connections than are needed': [
    'BackendPolicy',
    { ...web, connection: { preconnectPercent: 99 } },
    /preconnectPercent/,
  ],
  'names that are resolved all the time': [
    'BackendPolicy',
    { ...web, dns: { refreshInterval: '10ms' } },
    /at least 1s/,
  ],
  'an address of neither kind': ['BackendPolicy', { ...web, addressing: 'Node' }, /Unsupported value/],
  'a share of no failures': [
    'BackendPolicy',
    { ...web, healthCheck: { passive: { failurePercentage: { threshold: 0 } } } },
    /failurePercentage.threshold/,
  ],
  'a backend whose HTTP/1.1 is as always': ['BackendPolicy', { ...web, http1: {} }, /at least 1/],
  'a cipher that Envoy does not know': [
    'ListenerPolicy',
    { ...edge, tls: { cipherSuites: ['RC4'] } },
    /Unsupported value/,
  ],
  'a field of the log that there is not': [
    'ListenerPolicy',
    { ...edge, accessLog: { enabled: true, fields: ['cookie'] } },
    /Unsupported value/,
  ],
};

for (const [title, [kind, spec, reason]] of Object.entries(rejected)) {
  test(`the API server rejects ${title}`, async (t) => {
    t.timeout(300_000);
    await t.throwsAsync(api.client.apply(kinds[kind], policy(kind, 'wrong', spec)), { message: reason });
  });
}

test('examples are taken as they are', async (t) => {
  t.timeout(300_000);
  for (const name of ['health-checks', 'http3']) {
    const text = await readFile(new URL(`../../examples/${name}/gateway.yaml`, import.meta.url), 'utf8');
    const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
    for (const object of objects.filter(({ kind }) => kind.endsWith('Policy'))) {
      const kind = kinds[object.kind as PolicyKind];
      await t.notThrowsAsync(
        api.client.apply(kind, {
          ...object,
          metadata: { ...object.metadata, namespace: 'shop', name: `example-${name}` },
        }),
      );
    }
  }
});

const condition = async (kind: PolicyKind, name: string) => {
  const object = await api.client.find(kinds[kind], { namespace: 'shop', name });
  const { ancestors = [] } = (object?.status ?? {}) as {
    ancestors?: { ancestorRef: { name: string }; conditions: { type: string; status: string; reason: string }[] }[];
  };
  const [first] = ancestors;
  return (
    first && `${first.ancestorRef.name} ${first.conditions.map(({ type, reason }) => `${type}=${reason}`).join(' ')}`
  );
};

const becomes = (kind: PolicyKind, name: string, wanted: string) =>
  untilFits(
    `${kind} ${name} to be ${wanted}`,
    () => condition(kind, name),
    (found) => found === wanted,
  );

test('their status says for which Gateway they hold, and HTTP/3 gets a port of the Service', async (t) => {
  t.timeout(600_000);
  await api.apply(
    '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  );
  await api.apply(
    '{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: plain, listeners: [{name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]}}',
  );
  await api.apply(
    '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}',
  );
  await api.apply(
    '{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, namespace: shop}, spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: web, port: 80}]}]}}',
  );
  await api.client.apply(
    kinds.BackendPolicy,
    policy('BackendPolicy', 'first', { ...web, timeouts: { connect: '1s' } }),
  );
  await becomes('BackendPolicy', 'first', 'edge Accepted=Accepted');
  const tls = { tls: { minVersion: '1.3' } };
  await api.client.apply(kinds.ListenerPolicy, policy('ListenerPolicy', 'first', { ...edge, ...tls }));
  await becomes('ListenerPolicy', 'first', 'edge Accepted=Accepted ResolvedRefs=ResolvedRefs');
  const ports = async () => {
    const service = await api.client.find(proxyKinds.Service, { namespace: 'shop', name: 'gatewright-edge' });
    const { ports: found = [] } = (service?.spec ?? {}) as { ports?: { port: number; protocol: string }[] };
    return found.map(({ port, protocol }) => `${protocol} ${port}`).join(', ');
  };
  await untilFits('the TCP port', ports, (found) => found === 'TCP 443');
  await api.client.apply(
    kinds.ListenerPolicy,
    policy('ListenerPolicy', 'first', { ...edge, ...tls, http3: { enabled: true } }),
  );
  await untilFits('the UDP port too', ports, (found) => found === 'TCP 443, UDP 443');
  await api.client.apply(kinds.ListenerPolicy, policy('ListenerPolicy', 'second', { ...edge, ...tls }));
  await becomes('ListenerPolicy', 'second', 'edge Accepted=Conflicted ResolvedRefs=ResolvedRefs');
  t.pass();
});
