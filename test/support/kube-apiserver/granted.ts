import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { isAllowed } from './access-review.ts';

interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  readonly namespace?: string;
}

interface Binding extends KubernetesObject {
  readonly roleRef: { readonly kind: 'ClusterRole' | 'Role'; readonly name: string };
  readonly subjects?: readonly Subject[];
}

interface Role extends KubernetesObject {
  readonly rules?: readonly Rule[];
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

const group = 'rbac.authorization.k8s.io';

export const isBinding = ({ apiVersion, kind }: KubernetesObject): boolean =>
  apiVersion.startsWith(`${group}/`) && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding');

/** Whether the authorizer knows a binding and its role, by the last right of the role. One that grants nothing counts as known. */
export async function isGranted(client: KubeClient, object: KubernetesObject): Promise<boolean> {
  const { metadata, roleRef, subjects = [] } = object as Binding;
  const plural = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  const namespace = roleRef.kind === 'Role' ? metadata.namespace : undefined;
  const role = await client.find<Role>({ group, version: 'v1', plural }, { namespace, name: roleRef.name });
  const rule = role?.rules?.findLast(({ resources = [] }) => resources.length > 0);
  const [subject] = subjects;
  if (rule === undefined || subject === undefined) return true;
  const spec = { ...userOf(subject), resourceAttributes: { namespace: metadata.namespace, ...rightIn(rule) } };
  return await isAllowed(client, spec);
}

const userOf = ({ kind, name, namespace }: Subject): object => {
  if (kind === 'Group') return { groups: [name] };
  return { user: kind === 'User' ? name : `system:serviceaccount:${namespace}:${name}` };
};

function rightIn({ verbs, apiGroups = [], resources = [], resourceNames = [] }: Rule): object {
  const [resource, subresource] = (resources[0] ?? '').split('/');
  return { verb: verbs[0], group: apiGroups[0], resource, subresource, name: resourceNames[0] };
}
