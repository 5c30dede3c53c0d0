import test from 'ava';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { kinds } from '../../src/gateway-api/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { startKubeOperator } from '../support/kube-operator.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { until, untilFits } from '../support/until.ts';

/** Who writes the status of Ingresses where two control planes serve them from one API server. */

const ingress = (name: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: ${name}, namespace: shop}, spec: {ingressClassName: gatewright, rules: [{host: ${name}.test, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}}`;

const world = [
  '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  '{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}}',
  '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}',
  '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: gatewright}, spec: {controller: gatewright.dev/ingress-controller, parameters: {apiGroup: gateway.networking.k8s.io, kind: Gateway, name: edge, namespace: shop, scope: Namespace}}}',
];

const read = async (port: number, path: string): Promise<string> =>
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();

const leads = (control: ControlPlane, wanted: boolean) =>
  untilFits(
    `it ${wanted ? 'leads' : 'follows'}`,
    async () => JSON.parse(await read(control.ports.layout1, '/v1/summary')) as { leader: { isLeader: boolean } },
    ({ leader }) => leader.isLeader === wanted,
  );

const hasWritten = async (control: ControlPlane): Promise<boolean> =>
  /^gatewright_status_writes_total\{kind="Ingress",result="written"\} [1-9]/m.test(
    await read(control.ports.metrics, '/metrics'),
  );

/** A proxy of the Gateway that takes what it is sent. */
async function connectProxy(control: ControlPlane): Promise<DeltaClient> {
  const client = new DeltaClient({ target: control.ports.xds, nodeId: 'gatewright-edge-1', cluster: 'shop/edge' });
  client.subscribe(typeUrls.listener);
  client.ack(await client.take(typeUrls.listener));
  return client;
}

test('the leader alone says where Ingresses are reached, and the next one goes on', async (t) => {
  t.timeout(600_000);
  const operator = await startKubeOperator({
    ingress: true,
    leaderElection: '{namespace: gatewright-system, leaseDuration: 20s, renewDeadline: 14s, retryPeriod: 1s}',
    objects: [...world, ingress('web')].join('\n---\n'),
  });
  t.teardown(() => operator.stop());
  const { api, control: first } = operator;
  const reached = (name: string) =>
    untilFits(
      `Ingress ${name} to have an address`,
      () => api.client.get(kinds.Ingress, { namespace: 'shop', name }),
      ({ status }) =>
        ((status as { loadBalancer?: { ingress?: object[] } } | undefined)?.loadBalancer?.ingress ?? []).length > 0,
    );
  const derived = (control: ControlPlane, name: string) =>
    untilFits(
      `Ingress ${name} to be served`,
      async () => control.graph.find('HTTPRoute', `shop/Ingress:${name}`),
      Boolean,
    );

  await leads(first, true);
  const client = await connectProxy(first);
  t.teardown(() => client.close());
  await setProxyPods(api, { namespace: 'shop', name: 'gatewright-edge' }, [{ name: 'gatewright-edge-1', ready: true }]);
  await reached('web');

  const second = await operator.again();
  await leads(second, false);
  await api.apply(ingress('both'));
  await derived(second, 'both');
  await reached('both');
  t.deepEqual([await hasWritten(first), await hasWritten(second)], [true, false], 'only the leader writes');

  client.close();
  await first.stop();
  await leads(second, true);
  const next = await connectProxy(second);
  t.teardown(() => next.close());
  await api.apply(ingress('after'));
  await reached('after');
  // It counts a write when the response is there, which may be after others see what it wrote.
  await until('the next leader to count its write', () => hasWritten(second));
  await reached('web');
});
