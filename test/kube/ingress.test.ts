import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { resourcePath } from '../../src/kube/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { until, untilFits } from '../support/until.ts';

/** Ingresses as the API server keeps them, served by a control plane with the rights of rbac/control-plane.yaml and rbac/ingress.yaml and no more. */

let operator: KubeOperator;

const ingressClass = (more = '') =>
  `{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: gatewright${more}}, spec: {controller: gatewright.dev/ingress-controller, parameters: {apiGroup: gateway.networking.k8s.io, kind: Gateway, name: edge, namespace: shop, scope: Namespace}}}`;

const ingress = (name: string, host: string, { annotations = '{}', className = 'gatewright' } = {}) =>
  `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: ${name}, namespace: shop, annotations: ${annotations}}, spec: {${className && `ingressClassName: ${className}, `}rules: [{host: ${host}, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}}]}}`;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({
    ingress: true,
    objects: [
      '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
      '{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}}',
      '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{name: http, port: 80}]}}',
      ingressClass(),
    ].join('\n---\n'),
  });
});
test.after.always(() => operator?.stop());
test.beforeEach((t) => t.timeout(600_000));

const find = (name: string) => operator.api.client.get(kinds.Ingress, { namespace: 'shop', name });

const addressesOf = (object: KubernetesObject): readonly object[] =>
  (object.status as { loadBalancer?: { ingress?: object[] } } | undefined)?.loadBalancer?.ingress ?? [];

interface KubeEvent extends KubernetesObject {
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

const event = (name: string, words: RegExp) =>
  untilFits(
    `an Event of Ingress ${name}: ${words}`,
    async () => {
      const all = await operator.api.client.list<KubeEvent>(
        { group: '', version: 'v1', plural: 'events' },
        { namespace: 'shop' },
      );
      return all.find(
        ({ involvedObject, type, reason, message }) =>
          involvedObject.kind === 'Ingress' &&
          involvedObject.name === name &&
          words.test(`${type} ${reason} ${message}`),
      );
    },
    (found) => found !== undefined,
  );

/** A proxy that takes everything, and its pod. */
async function startProxy(t: ExecutionContext): Promise<void> {
  const client = new DeltaClient({
    target: operator.control.ports.xds,
    nodeId: 'gatewright-edge-1',
    cluster: 'shop/edge',
  });
  t.teardown(() => client.close());
  client.subscribe(typeUrls.listener);
  client.ack(await client.take(typeUrls.listener));
  await setProxyPods(operator.api, { namespace: 'shop', name: 'gatewright-edge' }, [
    { name: 'gatewright-edge-1', ready: true },
  ]);
}

test.serial('an Ingress is served, and says where it is reached', async (t) => {
  const { api, control } = operator;
  await api.apply(ingress('web', 'web.test'));
  await startProxy(t);
  const found = await untilFits(
    'an address of the Ingress',
    () => find('web'),
    (object) => addressesOf(object).length > 0,
  );
  // The Gateway's own status is written a little later.
  const gateway = await untilFits(
    'an address of the Gateway',
    () => api.client.get(kinds.Gateway, { namespace: 'shop', name: 'edge' }),
    ({ status }) => ((status as { addresses?: object[] } | undefined)?.addresses ?? []).length > 0,
  );
  const [address] = (gateway.status as { addresses: { value: string }[] }).addresses;
  t.deepEqual(addressesOf(found), [{ ip: address?.value }]);
  t.truthy(control.graph.find('HTTPRoute', 'shop/Ingress:web'), 'what it became is in memory');
  t.is((await api.client.list(kinds.HTTPRoute, { namespace: 'shop' })).length, 0, 'and in no cluster');
});

test.serial('what is not served says so by an Event, and so does its end', async (t) => {
  const { api } = operator;
  const digest = '{nginx.ingress.kubernetes.io/auth-type: digest, nginx.ingress.kubernetes.io/auth-secret: users}';
  await api.apply(ingress('web', 'web.test', { annotations: digest }));
  const found = await event('web', /^Warning ProtectionUnavailable .*503.*digest/);
  t.is(found?.involvedObject.uid, (await find('web')).metadata.uid);
  await api.apply(ingress('web', 'web.test'));
  await event('web', /^Normal Resolved no longer: /);
});

test.serial('an Ingress of no class is of the default class, which the API server writes into it', async (t) => {
  const { api } = operator;
  await api.apply(ingressClass(', annotations: {ingressclass.kubernetes.io/is-default-class: "true"}'));
  const later = ingress('later', 'later.test', { className: '' });
  // The API server hears of the default a moment later, and gives no class to what was created before.
  await until('the API server to know the default class', async () => {
    const { spec } = await api.client.json<KubernetesObject>({
      method: 'POST',
      path: resourcePath(kinds.Ingress, 'shop'),
      query: { dryRun: 'All' },
      body: JSON.stringify(parse(later)),
    });
    return (spec as { ingressClassName?: string }).ingressClassName === 'gatewright';
  });
  await api.apply(later);
  const made = await untilFits(
    'it to be served',
    async () => operator.control.graph.find('HTTPRoute', 'shop/Ingress:later'),
    Boolean,
  );
  t.truthy(made);
});

test.serial('an Ingress of a class that goes is no longer served, and its status is for others to write', async (t) => {
  const { api, control } = operator;
  await api.client.delete(kinds.IngressClass, { name: 'gatewright' });
  await untilFits(
    'nothing to be made of it',
    async () => control.graph.find('HTTPRoute', 'shop/Ingress:web'),
    (route) => !route,
  );
  t.is(addressesOf(await find('web')).length, 1);
});
