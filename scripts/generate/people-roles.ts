/**
 * Roles for people, which Kubernetes adds to its own roles `view`, `edit` and `admin` (aggregation): what they may do with the kinds that users
 * declare. They are installed on request only.
 */
import { managedKinds } from '../../src/admin/managed-resources/managed-kinds.ts';
import type { KindFacts } from '../../src/gateway-api/index.ts';

/** Of the platform's team: what costs addresses and pods, or is for all routes of a listener. A namespace's `admin` may write them. */
const ofPlatform: ReadonlySet<string> = new Set(['Gateway', 'ListenerPolicy']);
/** Which image runs, with which rights on a node, and what is patched in Envoy's own words is decided by those who own the cluster. */
const ofCluster: ReadonlySet<string> = new Set(['GatewayClass', 'DataPlane', 'EnvoyPatch']);

const reading = ['get', 'list', 'watch'];
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection'];

interface PeopleRole {
  /** Behind `gatewright-`, and the role that it becomes a part of. */
  readonly name: 'view' | 'edit' | 'admin';
  /** Roles of Kubernetes that have it: who may write may read. */
  readonly partOf: readonly string[];
  readonly kinds: readonly KindFacts[];
  readonly verbs: readonly string[];
}

const roles: readonly PeopleRole[] = [
  { name: 'view', partOf: ['view', 'edit', 'admin'], kinds: managedKinds, verbs: reading },
  {
    name: 'edit',
    partOf: ['edit', 'admin'],
    kinds: managedKinds.filter(({ name }) => !ofPlatform.has(name) && !ofCluster.has(name)),
    verbs: writing,
  },
  { name: 'admin', partOf: ['admin'], kinds: managedKinds.filter(({ name }) => ofPlatform.has(name)), verbs: writing },
];

const ruleOf = (group: string, kinds: readonly KindFacts[], verbs: readonly string[]): string =>
  [
    `- apiGroups: [${group}]`,
    `  resources: [${kinds.map(({ plural }) => plural).join(', ')}]`,
    `  verbs: [${verbs.join(', ')}]`,
  ].join('\n');

function documentOf({ name, partOf, kinds, verbs }: PeopleRole): string {
  const labels = partOf.map((role) => `    rbac.authorization.k8s.io/aggregate-to-${role}: "true"`);
  const groups = Map.groupBy(kinds, ({ group }) => group);
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: ClusterRole',
    'metadata:',
    `  name: gatewright-${name}`,
    '  labels:',
    '    app.kubernetes.io/name: gatewright',
    ...labels,
    'rules:',
    ...[...groups].map(([group, members]) => ruleOf(group, members, verbs)),
  ].join('\n');
}

const head = `# Made by \`npm run generate\` from the kinds that there are. On request only: kubectl apply -f rbac/people-roles.yaml
# With them the roles view, edit and admin of Kubernetes hold for Gateway API's kinds and ours, too. They give no right to write a DataPlane, which
# says what runs on nodes, a GatewayClass, or an EnvoyPatch.
`;

/** The file of rbac/ with all of them. */
export const peopleRolesFile = (): string => `${head}${roles.map(documentOf).join('\n---\n')}\n`;
