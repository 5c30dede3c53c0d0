import type { AuthorizationV1Api } from '@kubernetes/client-node';
import type { Finding } from './finding.ts';
import { type InstallScope, neededRights, type Right, rightText } from './rights.ts';

/** The rights that the installing user needs. */
function installingRights({ namespaces, proxiesNamespace, ownNamespace }: InstallScope): Right[] {
  const rbac = 'rbac.authorization.k8s.io';
  const places = new Set([ownNamespace, ...(namespaces ?? []), ...(proxiesNamespace ? [proxiesNamespace] : [])]);
  return [
    { verb: 'create', group: '', resource: 'namespaces' },
    { verb: 'create', group: rbac, resource: 'clusterroles' },
    { verb: 'create', group: rbac, resource: 'clusterrolebindings' },
    ...[...places].flatMap((namespace) =>
      ['roles', 'rolebindings'].map((resource) => ({ verb: 'create', group: rbac, resource, namespace })),
    ),
    { verb: 'create', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
    { verb: 'create', group: 'apps', resource: 'deployments', namespace: ownNamespace },
    { verb: 'create', group: 'gateway.networking.k8s.io', resource: 'gatewayclasses' },
  ];
}

/** Whether this user may install so. */
export async function checkInstalling(api: AuthorizationV1Api, scope: InstallScope): Promise<Finding[]> {
  const denied = await deniedOf(api, installingRights(scope));
  if (denied.length === 0) return [{ level: 'ok', what: 'this user may install everything' }];
  const remedy = 'let an administrator apply the manifests; running needs only what rbac/ says';
  return [{ level: 'warning', what: `this user may not ${denied.map(rightText).join(', ')}`, remedy }];
}

/** Whether this user may do all that the control plane does: one finding for each namespace that lacks something. */
export async function checkRunning(api: AuthorizationV1Api, scope: InstallScope): Promise<Finding[]> {
  const rights = neededRights(scope);
  const denied = Map.groupBy(await deniedOf(api, rights), ({ namespace }) => namespace ?? '');
  if (denied.size === 0)
    return [{ level: 'ok', what: `this user has all ${rights.length} rights of the control plane` }];
  return [...denied].map(([namespace, missing]) => ({
    level: 'error',
    what: `this user may not, ${namespace === '' ? 'in the whole cluster' : `in namespace ${namespace}`}: ${missing.map((right) => rightText({ ...right, namespace: undefined })).join(', ')}`,
    remedy: `apply the roles of this way to install (${folderOf(scope)})${namespace === '' ? '' : `, those for ${namespace} among them`}`,
  }));
}

function folderOf({ namespaces, proxiesNamespace }: InstallScope): string {
  if (namespaces) return proxiesNamespace ? 'overlays/namespaced-system-proxies' : 'overlays/namespaced';
  return proxiesNamespace ? 'overlays/system-proxies' : 'rbac/control-plane.yaml';
}

/** So many are asked at once: an API server limits how much one user may ask. */
const concurrency = 20;

async function deniedOf(api: AuthorizationV1Api, rights: readonly Right[]): Promise<Right[]> {
  const denied: Right[] = [];
  for (let i = 0; i < rights.length; i += concurrency) {
    const answers = rights
      .slice(i, i + concurrency)
      .map(async (right) => ((await isAllowed(api, right)) ? [] : [right]));
    denied.push(...(await Promise.all(answers)).flat());
  }
  return denied;
}

async function isAllowed(api: AuthorizationV1Api, { resource: path, ...rest }: Right): Promise<boolean> {
  const [resource, subresource] = path.split('/');
  const resourceAttributes = { ...rest, resource, ...(subresource && { subresource }) };
  const { status } = await api.createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: resourceAttributes as { verb: string } } },
  });
  return status?.allowed === true;
}
