import test from 'ava';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { type Lease, leaseType, policiesAnnotation } from '../../src/cluster/leader/lease.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { until } from '../support/until.ts';

/** A control plane that starts while the API server does not serve policies of access which it knew. */
let operator: KubeOperator;

const [namespace, name, definition] = ['gatewright-system', 'gatewright-leader', 'accesspolicies.gatewright.dev'];

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

const policy = `
apiVersion: gatewright.dev/v1alpha1
kind: AccessPolicy
metadata: {name: edge, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]
  clientIPs: {deny: [192.0.2.0/24]}
`;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({
    own: ['dataplanes', 'accesspolicies'],
    objects,
    leaderElection: `{namespace: ${namespace}, id: ${name}, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 500ms}`,
  });
});
test.after.always(() => operator?.stop());

const lease = () => operator.api.client.find<Lease>(leaseType, { namespace, name });
const remembers = async () => (await lease())?.metadata.annotations?.[policiesAnnotation] !== undefined;
const serves = ({ graph }: ControlPlane) => graph.snapshot() !== undefined;

/** What a control plane that is not ready says of the missing kind. */
async function missingIn({ ports }: ControlPlane): Promise<string | false> {
  const response = await fetch(`http://127.0.0.1:${ports.layout1}/readyz`);
  const text = await response.text();
  return response.status === 503 && /there were policies, and nothing is served without them/.test(text) && text;
}

test.serial(
  'while there are policies, the lease says so, and a control plane that finds none served serves nothing',
  async (t) => {
    t.timeout(600_000);
    const { api, control } = operator;
    await until('a first snapshot', () => serves(control));
    t.false(await remembers());
    await api.apply(policy);
    await until('the lease to say that there are policies', remembers);
    await control.stop();
    await api.removeCrd(definition);

    const again = await operator.again();
    const missing = await until('the missing kind to be reported', () => missingIn(again));
    t.regex(missing, /accesspolicies\.gatewright\.dev\/v1alpha1: install/);
    t.regex(missing, /kubectl -n gatewright-system annotate lease gatewright-leader gatewright\.dev\/access-policies-/);
    t.false(serves(again));

    await api.installCrd(definition, 'own');
    await until('a snapshot', () => serves(again));
    await until('the lease to say that there are none', async () => !(await remembers()));
    await again.stop();
  },
);

test.serial('when they were removed on purpose, a person says so, and a control plane serves without', async (t) => {
  t.timeout(600_000);
  const { api } = operator;
  const control = await operator.again();
  await until('a snapshot', () => serves(control));
  await api.apply(policy);
  await until('the lease to say that there are policies', remembers);
  await control.stop();
  await api.removeCrd(definition);
  const again = await operator.again();
  await until('the missing kind to be reported', () => missingIn(again));
  t.false(serves(again));
  await until('the lease to lose its mark', async () => {
    const held = await lease();
    if (!held) return false;
    const { [policiesAnnotation]: mark, ...annotations } = held.metadata.annotations ?? {};
    await api.client.replace<Lease>(leaseType, { ...held, metadata: { ...held.metadata, annotations } });
    return mark === undefined;
  });
  await until('a snapshot without policies', () => serves(again));
  await again.stop();
});
