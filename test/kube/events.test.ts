import test from 'ava';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { request } from '../support/request.ts';
import { untilFits } from '../support/until.ts';

// Events as the API server takes and keeps them, from a control plane with the rights of rbac/ and no more.

let operator: KubeOperator | undefined;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({});
});
test.after.always(() => operator?.stop());

interface KubeEvent extends KubernetesObject {
  readonly involvedObject: {
    readonly kind: string;
    readonly name: string;
    readonly uid?: string;
    readonly apiVersion: string;
  };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly source: { readonly component: string };
}

const eventType = { group: '', version: 'v1', plural: 'events' };

/** The Event about an object that has these words. */
const event = (what: string, words: RegExp) =>
  untilFits(
    `an Event of ${what}: ${words}`,
    async () => {
      const all = await operator?.api.client.list<KubeEvent>(eventType, { namespace: 'shop' });
      return all?.find(
        ({ involvedObject: { kind, name }, type, reason, message }) =>
          `${kind}/${name}` === what && words.test(`${type} ${reason} ${message}`),
      );
    },
    (found) => found !== undefined,
  );

const route = (backend: string, parent = 'edge') =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, namespace: shop}, spec: {parentRefs: [{name: ${parent}}], rules: [{backendRefs: [{name: ${backend}, port: 80}]}]}}`;
const gateway = (name: string, gatewayClass: string) =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: ${gatewayClass}, listeners: [{name: http, port: 80, protocol: HTTP}]}}`;

test('kubectl describe shows what is wrong with an object, and when it is over', async (t) => {
  t.timeout(600_000);
  const { api, control } = operator as KubeOperator;
  await api.apply(
    '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  );
  await api.apply(gateway('edge', 'plain'));
  await api.apply(
    '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}',
  );
  const [made] = await api.apply(route('wbe'));
  const found = await event('HTTPRoute/web', /^Warning BackendNotFound .*wbe/);
  t.is(found?.involvedObject.uid, made?.metadata.uid, 'of this object, not of one that had its name');
  t.is(found?.involvedObject.apiVersion, 'gateway.networking.k8s.io/v1');
  t.is(found?.source.component, 'gatewright');

  await api.apply(route('web'));
  await event('HTTPRoute/web', /^Normal Resolved no longer: BackendNotFound/);
  await api.apply(route('web', 'egde'));
  await event('HTTPRoute/web', /^Warning ParentUnknown there is no Gateway shop\/egde; did you mean shop\/edge\?/);
  await api.apply(gateway('typo', 'plian'));
  await event('Gateway/typo', /^Warning GatewayClassUnknown there is no GatewayClass "plian"; did you mean plain\?/);

  // Others see an Event before the answer has come to its writer, who counts it then.
  const metrics = await untilFits(
    'the Events to be counted',
    async () => await (await request(`http://127.0.0.1:${control.ports.metrics}/metrics`)).text(),
    (text) => /gatewright_events_total\{result="written"\} [4-9]/.test(text),
  );
  t.regex(metrics, /gatewright_events_total\{result="error"\} 0/);
});
