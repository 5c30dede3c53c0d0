import test, { type ExecutionContext } from 'ava';
import { olderGatewayApis } from '../../scripts/paths.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { runProgram } from '../support/program.ts';
import { untilFits } from '../support/until.ts';

/** Clusters with older definitions of the Gateway API: what these have is served, and what they lack is off. */

const group = 'gateway.networking.k8s.io';

/** What a user of that time has: a Service of another namespace, by a grant in the only version that there was. */
const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: backends}}
---
{apiVersion: ${group}/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}
---
apiVersion: ${group}/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: backends}
spec: {ports: [{port: 80}]}
---
apiVersion: ${group}/v1beta1
kind: ReferenceGrant
metadata: {name: from-shop, namespace: backends}
spec: {from: [{group: ${group}, kind: HTTPRoute, namespace: shop}, {group: ${group}, kind: GRPCRoute, namespace: shop}], to: [{group: '', kind: Service}]}
---
apiVersion: ${group}/v1
kind: HTTPRoute
metadata: {name: web, namespace: shop}
spec: {parentRefs: [{name: edge}], hostnames: [web.test], rules: [{backendRefs: [{name: web, namespace: backends, port: 80}]}]}
---
apiVersion: ${group}/v1
kind: GRPCRoute
metadata: {name: web, namespace: shop}
spec: {parentRefs: [{name: edge}], hostnames: [grpc.test], rules: [{backendRefs: [{name: web, namespace: backends, port: 80}]}]}
---
apiVersion: ${group}/v1
kind: BackendTLSPolicy
metadata: {name: web, namespace: backends}
spec: {targetRefs: [{group: '', kind: Service, name: web}], validation: {hostname: web.test, wellKnownCACertificates: System}}
`;

/** `Accepted=True ResolvedRefs=True` of a route's only parent. */
async function conditionsOf({ api }: KubeOperator, kind: 'HTTPRoute' | 'GRPCRoute'): Promise<string> {
  const { status } = await api.client.get<KubernetesObject>(kinds[kind], { namespace: 'shop', name: 'web' });
  const { parents = [] } = (status ?? {}) as { parents?: { conditions: { type: string; status: string }[] }[] };
  return (parents[0]?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`).join(' ');
}

/** A proxy's requests for its listeners and routes. */
async function hostsServed(t: ExecutionContext, { control }: KubeOperator): Promise<readonly string[]> {
  const client = new DeltaClient({ target: control.ports.xds, nodeId: 'gatewright-edge-1', cluster: 'shop/edge' });
  t.teardown(() => client.close());
  client.subscribe(typeUrls.scopedRoute);
  const { resources } = await client.take(typeUrls.scopedRoute);
  const names = resources.map(({ name }) => name).join(' ');
  return ['web.test', 'grpc.test'].filter((host) => names.includes(host));
}

const missingOf = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/not installed: (?<names>.*)/g)].flatMap(({ groups }) =>
    (groups?.names ?? '').split(', ').filter((name) => !/Policy v1alpha1|gatewright|v1alpha1$/.test(name)),
  );

/** What each release lacks of the kinds that Gatewright reads in `v1`, in its experimental channel, which has the most. */
const lacks: Readonly<Record<string, readonly string[]>> = {
  '1.4': ['ListenerSet v1', 'TCPRoute v1', 'TLSRoute v1', 'UDPRoute v1'],
  '1.5': ['TCPRoute v1', 'UDPRoute v1'],
  '1.6': [],
};

const [oldest = ''] = olderGatewayApis;
const installs = [[oldest, 'standard'], ...olderGatewayApis.map((version) => [version, 'experimental'])] as const;

for (const [version, channel] of installs as readonly (readonly [string, 'standard' | 'experimental'])[]) {
  test.serial(`Gateway API ${version}, ${channel}: routes, grants and policies are served`, async (t) => {
    t.timeout(600_000);
    const operator = await startKubeOperator({ gatewayApi: { channel, version }, objects });
    t.teardown(() => operator.stop());
    for (const kind of ['HTTPRoute', 'GRPCRoute'] as const)
      await untilFits(
        `${kind} to be accepted, with its Service`,
        () => conditionsOf(operator, kind),
        (is) => is.includes('Accepted=True') && is.includes('ResolvedRefs=True'),
      );
    t.deepEqual(await hostsServed(t, operator), ['web.test', 'grpc.test']);
    const { stdout } = await runProgram(['precheck', '--kubeconfig', operator.api.kubeconfig]);
    t.regex(stdout, new RegExp(`Gateway API v${version.replaceAll('.', '\\.')}, ${channel} channel`));
    t.notRegex(stdout, /not installed:.*ReferenceGrant/);
    if (channel === 'experimental') t.deepEqual([...missingOf(stdout)].sort(), lacks[version.replace(/\.\d+$/, '')]);
  });
}
