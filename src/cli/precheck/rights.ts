import { isCoreKind, type Kind, type KindFacts, kindsRead } from '../../gateway-api/index.ts';
import { proxyKinds } from '../../infrastructure/index.ts';

/** One right that a user has or lacks. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `gateways/status`. */
  readonly resource: string;
  /** Of one object alone. */
  readonly name?: string;
  /** In one namespace; without it in all of them, or on what is in none. */
  readonly namespace?: string;
}

/** A way to install: what of the cluster is read, and where proxies run. */
export interface InstallScope {
  /** `source.kubernetes.namespaces`; undefined: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** `infrastructure.namespace`; undefined: each Gateway's own. */
  readonly proxiesNamespace?: string | undefined;
  /** The class whose status is written by an install that is limited to namespaces; default `gatewright`. */
  readonly className?: string;
  /** Where the control plane is. */
  readonly ownNamespace: string;
}

const read = ['list', 'watch'];
const make = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** What the control plane asks of the API server in a cluster that is installed so. `rbac/` and a test hold the two together. */
export function neededRights(scope: InstallScope): Right[] {
  const { namespaces, proxiesNamespace, ownNamespace } = scope;
  const madeIn = proxiesNamespace ? [proxiesNamespace] : namespaces && [...new Set([...namespaces, ownNamespace])];
  return [
    ...kindsRead('envoyPatches').flatMap((kind) => rightsToRead(kind, namespaces)),
    right('create', 'authentication.k8s.io', 'tokenreviews'),
    right('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    ...kindsRead('envoyPatches').flatMap((kind) => rightsToSay(kind, scope)),
    ...(namespaces ?? [undefined]).flatMap((namespace) =>
      ['create', 'patch'].map((verb) => right(verb, '', 'events', { namespace })),
    ),
    ...(madeIn ?? [undefined]).flatMap((namespace) => [
      ...Object.values(proxyKinds).flatMap(({ group, plural }) =>
        make.map((verb) => right(verb, group, plural, { namespace })),
      ),
      ...read.map((verb) => right(verb, '', 'pods', { namespace })),
      ...read.map((verb) => right(verb, 'discovery.k8s.io', 'endpointslices', { namespace })),
    ]),
    ...ownRights(ownNamespace),
  ];
}

function rightsToSay(kind: KindFacts, { namespaces, className = 'gatewright' }: InstallScope): Right[] {
  if (kind.statusForm === 'none') return [];
  const places = namespaces === undefined ? [{}] : namespaces.map((namespace) => ({ namespace }));
  const named = namespaces === undefined ? [{}] : [{ name: className }];
  return (kind.namespaced ? places : named).map((place) => right('patch', kind.group, `${kind.plural}/status`, place));
}

function rightsToRead(kind: Kind, namespaces: readonly string[] | undefined): Right[] {
  const verbs = isCoreKind(kind) ? read : ['get', ...read];
  const places = namespaces?.map((namespace) =>
    kind.namespaced ? { namespace } : kind.name === 'Namespace' ? { name: namespace } : {},
  );
  const distinct = kind.namespaced || kind.name === 'Namespace' ? (places ?? [{}]) : [{}];
  return distinct.flatMap((place) => verbs.map((verb) => right(verb, kind.group, kind.plural, place)));
}

/** In the control plane's own namespace: the lease, the authority of the xDS server, the key of logins, and the settings. */
function ownRights(namespace: string): Right[] {
  const secret = (verb: string, name?: string) => right(verb, '', 'secrets', { namespace, name });
  const lease = (verb: string, name?: string) => right(verb, 'coordination.k8s.io', 'leases', { namespace, name });
  return [
    lease('create'),
    ...['get', 'watch', 'update'].map((verb) => lease(verb, 'gatewright-leader')),
    secret('create'),
    ...['gatewright-xds-ca', 'gatewright-admin-token'].flatMap((name) =>
      ['get', 'update'].map((verb) => secret(verb, name)),
    ),
    secret('get', 'gatewright-login-key'),
    ...['get', 'patch'].map((verb) => secret(verb, 'gatewright-settings')),
  ];
}

const right = (
  verb: string,
  group: string,
  resource: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined } = {},
): Right => ({
  verb,
  group,
  resource,
  ...(name !== undefined && { name }),
  ...(namespace !== undefined && { namespace }),
});

/** `list secrets in team-a`, `patch gatewayclasses/status`, `get leases gatewright-leader in gatewright-system` */
export const rightText = ({ verb, group, resource, name, namespace }: Right): string =>
  [
    `${verb} ${resource}${group === '' ? '' : `.${group}`}`,
    name === undefined ? '' : ` ${name}`,
    namespace === undefined ? '' : ` in ${namespace}`,
  ].join('');
