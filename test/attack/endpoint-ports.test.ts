import test from 'ava';
import { typeUrls } from '../../src/envoy/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { startKubeOperator } from '../support/kube-operator.ts';
import { request } from '../support/request.ts';
import { untilFits } from '../support/until.ts';

/** A real API server takes any int32 as the port of an EndpointSlice. */
const ports = [-2_147_483_648, -1, 0, 65_536, 2_147_483_647];

const world = [
  '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  '{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}}',
  '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}',
].join('\n---\n');

const route = (name: string): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: ${name}, namespace: shop}, spec: {parentRefs: [{name: edge}], hostnames: [${name}.test], rules: [{backendRefs: [{name: web, port: 80}]}]}}`;

const slice = (at: number, port: number): string =>
  `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-${at}, namespace: shop, labels: {kubernetes.io/service-name: web}}, addressType: IPv4, ports: [{port: ${port}}], endpoints: [{addresses: [10.0.0.${at + 1}]}]}`;

test('a tenant’s EndpointSlices with ports that are none cost that tenant those endpoints alone', async (t) => {
  t.timeout(600_000);
  const operator = await startKubeOperator({ objects: [world, route('first')].join('\n---\n') });
  t.teardown(() => operator.stop());
  const { api, control } = operator;
  const client = new DeltaClient({ target: control.ports.xds, nodeId: 'edge-1', cluster: 'shop/edge' });
  t.teardown(() => client.close());
  client.subscribe(typeUrls.scopedRoute);
  const sent = async (host: string) => {
    for (let found = false; !found; ) {
      const response = await client.take(typeUrls.scopedRoute);
      found = response.resources.some(({ name }) => name.includes(host));
      client.ack(response);
    }
  };
  /** Of the Service, and whether proxies have them. */
  const endpoints = async (): Promise<readonly { readonly healthy: boolean }[]> => {
    const answer = await request(`http://127.0.0.1:${control.ports.layout1}/v1/backends/shop/web:80`);
    return ((await answer.json()) as { readonly endpoints: readonly { readonly healthy: boolean }[] }).endpoints;
  };
  await sent('first.test');
  for (const [at, port] of ports.entries()) await api.apply(slice(at, port));
  await api.apply(slice(ports.length, 8080));
  const all = await untilFits('the good endpoint', endpoints, (found) => found.length > ports.length);
  t.is(all.filter(({ healthy }) => healthy).length, 1);
  await api.apply(route('late'));
  await sent('late.test');
  const metrics = await (await request(`http://127.0.0.1:${control.ports.metrics}/metrics`)).text();
  t.regex(metrics, /^gatewright_gateway_snapshot_build_failures_total 0$/m);
});
