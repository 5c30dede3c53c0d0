import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { root } from '../../scripts/paths.mjs';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeClient, KubeError } from '../../src/kube/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { objectsOf } from '../support/manifests.ts';

// Roles that extend those of Kubernetes, asked of a real API server. It has no controller that adds them up, so people have ours directly.

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const text = readFileSync(join(root, 'rbac/people-roles.yaml'), 'utf8');

const binding = (role: string, user: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${role}-${user}, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gatewright-${role}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user}}]`;

test.before(async (t) => {
  t.timeout(600_000);
  const api = await borrowApiServer({ users: ['reader', 'operator', 'connector'] });
  t.context = { api };
  for (const plural of ['gateways', 'httproutes']) await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  for (const plural of ['dataplanes', 'trafficpolicies']) await api.installCrd(`${plural}.gatewright.dev`, 'own');
  for (const name of ['shop', 'other']) await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await api.apply(text);
  // Who has a role of Kubernetes has ours of lesser roles, too.
  for (const [user, roles] of [
    ['reader', ['view']],
    ['operator', ['view', 'edit']],
    ['connector', ['view', 'edit', 'admin']],
  ] as const)
    for (const role of roles) await api.apply(binding(role, user));
});
test.after.always((t) => t.context.api?.stop());

const specs = {
  HTTPRoute: {},
  Gateway: { gatewayClassName: 'x', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
  TrafficPolicy: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'a' }],
    compression: {},
  },
  DataPlane: {},
} as const;

/** Kinds that a user may read, and may create, in a namespace. */
async function rightsOf(api: KubeApiServer, user: string, namespace: string) {
  const client = new KubeClient(api.kubeConfigOf(user));
  const may = async (call: Promise<unknown>) =>
    await call.then(
      () => true,
      (error: unknown) => {
        if (error instanceof KubeError && error.status === 403) return false;
        throw error;
      },
    );
  const [reads, writes]: string[][] = [[], []];
  for (const [name, spec] of Object.entries(specs)) {
    const kind = kinds[name as keyof typeof specs];
    const apiVersion = `${kind.group}/${kind.version}`;
    const object = { apiVersion, kind: name, metadata: { name: `of-${user}`, namespace }, spec } as KubernetesObject;
    if (await may(client.listPage(kind, { namespace }))) reads?.push(name);
    if (await may(client.create(kind, object))) writes?.push(name);
  }
  client.close();
  return { reads, writes };
}

test('a person may do what the role says, in the namespace of the role, and writes no DataPlane', async (t) => {
  t.timeout(600_000);
  const { api } = t.context;
  const reads = Object.keys(specs);
  t.deepEqual(await rightsOf(api, 'reader', 'shop'), { reads, writes: [] });
  t.deepEqual(await rightsOf(api, 'operator', 'shop'), { reads, writes: ['HTTPRoute', 'TrafficPolicy'] });
  t.deepEqual(await rightsOf(api, 'connector', 'shop'), { reads, writes: ['HTTPRoute', 'Gateway', 'TrafficPolicy'] });
  for (const user of ['reader', 'operator', 'connector'])
    t.deepEqual(await rightsOf(api, user, 'other'), { reads: [], writes: [] });
});

interface Aggregated extends KubernetesObject {
  readonly aggregationRule: { readonly clusterRoleSelectors: readonly { readonly matchLabels: object }[] };
}

test('the roles of Kubernetes select ours', async (t) => {
  const { api } = t.context;
  const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
  for (const [name, ours] of [
    ['view', ['gatewright-view']],
    ['edit', ['gatewright-view', 'gatewright-edit']],
    ['admin', ['gatewright-view', 'gatewright-edit', 'gatewright-admin']],
  ] as const) {
    const { aggregationRule } = await api.client.get<Aggregated>(clusterRoles, { name });
    const selected = objectsOf(text).filter(({ metadata }) =>
      aggregationRule.clusterRoleSelectors.some(({ matchLabels }) =>
        Object.entries(matchLabels).every(([label, value]) => metadata.labels?.[label] === value),
      ),
    );
    // `admin` takes what `edit` has by that role's own label, and so on: each of ours may be selected once more.
    for (const role of selected.map(({ metadata }) => metadata.name))
      t.true((ours as readonly string[]).includes(role), `${name} has ${role}`);
    t.true(selected.some(({ metadata }) => metadata.name === `gatewright-${name}`));
  }
});
