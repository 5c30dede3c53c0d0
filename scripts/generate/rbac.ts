/**
 * Rights over the kinds that are read, written into the roles of rbac/ by name. What else these files have stays as it is: comments, rules
 * for other resources, and the order of resources that are in a rule already.
 */
import { isCoreKind, type KindFacts } from '../../src/gateway-api/index.ts';

/** What a role has over some kinds: all of one API group are one rule. */
export interface KindRights {
  readonly role: string;
  readonly kinds: readonly KindFacts[];
  readonly verbs: (kind: KindFacts) => readonly string[];
  /** `status`, where the right is to that alone. */
  readonly subresource?: string;
}

/**
 * What the control plane does with the kinds: it reads all and writes statuses. Those that are not of Kubernetes itself are also read one by
 * one, after a conflict and for the admin API.
 */
export function readingRights(all: readonly KindFacts[]): readonly KindRights[] {
  // The rights to Ingresses are a file of their own.
  const kinds = all.filter(({ optIn }) => optIn !== 'ingress');
  const verbs = (kind: KindFacts) => (isCoreKind(kind) ? ['list', 'watch'] : ['get', 'list', 'watch']);
  const inNamespaces = kinds.filter(({ namespaced }) => namespaced);
  const inNone = kinds.filter(({ namespaced }) => !namespaced);
  const withStatus = ({ statusForm }: KindFacts) => statusForm !== 'none';
  const status = { verbs: () => ['patch'], subresource: 'status' };
  return [
    { role: 'gatewright-cluster', kinds: inNone, verbs },
    { role: 'gatewright-cluster', kinds: inNone.filter(withStatus), ...status },
    { role: 'gatewright-reader', kinds: inNamespaces, verbs },
    { role: 'gatewright-status-writer', kinds: inNamespaces.filter(withStatus), ...status },
  ];
}

/** What the admin API needs to write managed resources. */
export const writingRights = (kinds: readonly KindFacts[]): readonly KindRights[] => [
  {
    role: 'gatewright-resource-writer',
    kinds,
    verbs: () => ['get', 'list', 'create', 'update', 'patch', 'delete'],
  },
];

/** The text of a file of rbac/ with these rights in its ClusterRoles. Throws where a role is not in it. */
export function withRights(text: string, rights: readonly KindRights[]): string {
  return rights.reduce((before, { role, kinds, verbs, subresource }) => {
    const groups = Map.groupBy(kinds, ({ group }) => group);
    return [...groups].reduce(
      (file, [group, members]) =>
        inRole(file, role, (rules) =>
          withRule(rules, {
            group,
            resources: members.map(({ plural }) => (subresource ? `${plural}/${subresource}` : plural)),
            verbs: verbs(members[0] as KindFacts),
          }),
        ),
      before,
    );
  }, text);
}

function inRole(text: string, role: string, change: (rules: string) => string): string {
  const documents = text.split(/^---\n/m);
  const at = documents.findIndex((one) => /^kind: ClusterRole$/m.test(one) && one.includes(`\n  name: ${role}\n`));
  if (at < 0) throw new Error(`there is no ClusterRole ${role} to write rights into`);
  return documents.map((one, index) => (index === at ? change(one) : one)).join('---\n');
}

interface Rule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const ruleText = /^- apiGroups: \[(.*)\]\n {2}resources: \[(.*)\]\n {2}verbs: \[(.*)\]\n/gm;

/** The rule of the same group and verbs has these resources from now on; without one, it comes last. */
function withRule(role: string, { group, resources, verbs }: Rule): string {
  const [wantedGroup, wantedVerbs] = [group === '' ? '""' : group, verbs.join(', ')];
  const text = (names: readonly string[]) =>
    `- apiGroups: [${wantedGroup}]\n  resources: [${names.join(', ')}]\n  verbs: [${wantedVerbs}]\n`;
  const found = [...role.matchAll(ruleText)].find(([, of, , to]) => of === wantedGroup && to === wantedVerbs);
  if (found === undefined) return `${role}${text(resources)}`;
  const present = (found[2] ?? '').split(', ').filter((resource) => resources.includes(resource));
  return role.replace(found[0], () => text([...new Set([...present, ...resources])]));
}
