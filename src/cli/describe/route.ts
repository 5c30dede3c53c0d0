import { isProblem, type ParentReference, ruleLabel } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { scopesOf } from '../kit/conditions.ts';
import { age } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';
import { accessSection } from './access.ts';
import { attempt } from './attempt.ts';
import { backendsAt, healthText } from './backends.ts';
import { conditionSection } from './conditions.ts';
import { failureSection } from './failures.ts';
import type { Found } from './find-object.ts';
import { eventSection, eventsOf, problemSection } from './history.ts';
import { policiesFor, policySection, type Target } from './policies.ts';
import { limitSection } from './rate-limit-policies.ts';
import { type BackendRef, matchText, type Rule, sharesOf, shareText } from './rules.ts';
import { type Description, type Section, section } from './section.ts';
import { trafficSection } from './traffic-policies.ts';

/** A route of any kind: who serves it, where its requests go, and what is in the way. */
export async function describeRoute(client: AdminClient, found: Found, now: Date): Promise<Description> {
  const { kind, namespace, name } = found;
  const path = [kind.toLowerCase(), namespace, name].map(encodeURIComponent).join('/');
  const route = await client.get<Wire['route']>(`/v1/routes/${path}`);
  const sections = await Promise.all([
    conditionSection(scopesOf({ parents: route.parents }).map((each) => ({ ...each, scope: `at ${each.scope}` }))),
    attempt('parents', () => parentSection(client, route)),
    attempt('rules', () => ruleSection(client, route)),
    attempt('policies', async () => policySection(await policiesFor(client, targetsOf(route)))),
    attempt('access', () => accessSection(client, 'route', `${kind}/${namespace}/${name}`)),
    attempt('traffic', () => trafficSection(client, `${kind}/${namespace}/${name}`)),
    attempt('limits', () => limitSection(client, `${kind}/${namespace}/${name}`)),
    problemSection(client, [`${kind}/${namespace}/${name}`]),
    eventSection(client, eventsOf(found), now),
    failureSection(client, `${kind}/${namespace}/${name}`),
  ]);
  const facts = {
    hosts: route.hostnames.join(', ') || (kind === 'HTTPRoute' ? 'any' : ''),
    age: age(route.createdAt, now),
  };
  return { ...found, ...stateOf(route), facts, sections };
}

function stateOf({ parents, accepted }: Wire['route']): Pick<Description, 'state' | 'isWell'> {
  if (parents.length === 0) return { state: 'not served, no Gateway has it', isWell: false };
  if (!accepted) return { state: parents.length > 1 ? 'not served at every parent' : 'not served', isWell: false };
  const isWell = !parents.some(({ conditions }) => conditions.some(isProblem));
  return { state: isWell ? 'served' : 'served in part', isWell };
}

const keyOfParent = (route: Wire['route'], { kind = 'Gateway', namespace, name }: ParentReference): Target => ({
  kind,
  namespace: namespace ?? route.namespace,
  name,
});

async function parentSection(client: AdminClient, route: Wire['route']): Promise<Section> {
  const parents = route.parentRefs.map((ref) => keyOfParent(route, ref as ParentReference));
  const listeners = (await client.get<readonly Wire['listener'][]>('/v1/listeners')).filter(({ routes }) =>
    routes.some((each) => each.kind === route.kind && each.namespace === route.namespace && each.name === route.name),
  );
  const lines = parents.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  const at = listeners.map(
    (each) =>
      `listener ${each.section} of Gateway ${each.gateway.namespace}/${each.gateway.name}, ${each.protocol}/${each.port}${each.hostname === null ? '' : `, ${each.hostname}`}`,
  );
  const data = {
    refs: parents,
    listeners: listeners.map(({ name, gateway, protocol, port, hostname }) => ({
      name,
      gateway,
      protocol,
      port,
      hostname,
    })),
  };
  const none = parents.length === 0 ? ['none: name a Gateway in spec.parentRefs'] : ['no listener has it'];
  return section('parents', data, [...new Set(lines), ...(at.length > 0 ? at.map((text) => `  ${text}`) : none)]);
}

const rulesOf = ({ rules }: Wire['route']): readonly Rule[] => rules as readonly Rule[];

async function ruleSection(client: AdminClient, route: Wire['route']): Promise<Section> {
  const rules = rulesOf(route);
  const refs = rules.flatMap(({ backendRefs = [] }) => backendRefs);
  const namespaces = new Set(refs.map(({ namespace = route.namespace }) => namespace));
  const backends = await backendsAt(client, [...namespaces]);
  const data = rules.map(({ backendRefs = [], ...rule }, index) => {
    const shares = sharesOf(backendRefs);
    return {
      index,
      name: rule.name ?? null,
      matches: (rule.matches ?? [{}]).map(matchText),
      filters: (rule.filters ?? []).map(filterText),
      backends: backendRefs.map((ref, at) => ({
        ...targetOf(route, ref),
        port: ref.port ?? null,
        share: shares[at] ?? 0,
        ...healthText(backends, { namespace: route.namespace, ...ref }),
      })),
    };
  });
  return section('rules', data, data.flatMap(ruleLines));
}

const filterText = ({ type, extensionRef: ref }: NonNullable<Rule['filters']>[number]): string =>
  ref ? `${type} ${ref.kind} ${ref.name}` : type;

interface RuleView {
  readonly index: number;
  readonly name: string | null;
  readonly matches: readonly string[];
  readonly filters: readonly string[];
  readonly backends: readonly (Target & {
    readonly port: number | null;
    readonly share: number;
    readonly health: string;
  })[];
}

function ruleLines({ index, name: own, matches, filters, backends }: RuleView): string[] {
  const lines = backends.map(
    ({ kind, namespace, name, port, share, health }) =>
      `  ${shareText(share)} to ${kind} ${namespace}/${name}${port === null ? '' : `:${port}`}, ${health}`,
  );
  const answersItself = filters.some((text) => text === 'RequestRedirect' || text.startsWith('ExtensionRef'));
  const answer = answersItself ? [] : ['  no backend: it answers 500'];
  return [
    `rule ${ruleLabel(index, own)}: ${matches.join(' or ')}`,
    ...(filters.length > 0 ? [`  ${filters.join(', ')}`] : []),
    ...(lines.length > 0 ? lines : answer),
  ];
}

const targetOf = (route: Wire['route'], { kind = 'Service', namespace, name }: BackendRef): Target => ({
  kind,
  namespace: namespace ?? route.namespace,
  name,
});

/** What a policy has to be for to change what happens to the route's requests: the route, its parents, its backends. */
function targetsOf(route: Wire['route']): Target[] {
  const parents = route.parentRefs.map((ref) => keyOfParent(route, ref as ParentReference));
  const backends = rulesOf(route).flatMap(({ backendRefs = [] }) => backendRefs.map((ref) => targetOf(route, ref)));
  return [route, ...parents, ...backends];
}
