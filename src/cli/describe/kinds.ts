import { type KindFacts, kinds } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';
import { accessSection } from './access.ts';
import { aiRequestsSection } from './ai-requests.ts';
import { attempt } from './attempt.ts';
import type { DescribedKind, Found } from './find-object.ts';
import { describeGateway, listenerLine, listenersOf } from './gateway.ts';
import { describeIngress } from './ingress.ts';
import { describeNode } from './node.ts';
import { picksSection } from './picks.ts';
import { effectOf, effectText } from './policies.ts';
import { limitSection } from './rate-limit-policies.ts';
import { describeRoute } from './route.ts';
import type { Rule } from './rules.ts';
import { type Description, type Section, section } from './section.ts';
import { describeService } from './service.ts';
import { describeStored, type MoreSections, type StoredObject } from './stored.ts';
import { trafficSection } from './traffic-policies.ts';

type Describe = (client: AdminClient, found: Found, now: Date) => Promise<Description>;

/** How a kind is described. */
export function describerOf(kind: DescribedKind): Describe {
  if (kind.endsWith('Route')) return describeRoute;
  const own: Readonly<Record<string, Describe>> = {
    Gateway: describeGateway,
    Ingress: describeIngress,
    Service: describeService,
    Node: describeNode,
  };
  const [describe, more] = [own[kind], extras[kind] ?? (hasTargets(kind) ? policyTargets : undefined)];
  return describe ?? ((client, found, now) => describeStored(client, found, now, more));
}

const hasTargets = (kind: string): boolean => (kinds as Readonly<Record<string, KindFacts>>)[kind]?.targetRefs ?? false;

/** What a policy is for, and whether it rules there. */
const policyTargets: MoreSections = async (_, { spec, status }) => {
  const refs = (spec.targetRefs ?? []) as readonly { kind: string; name: string; sectionName?: string }[];
  const effect = effectOf(status);
  const lines = refs.map(
    ({ kind, name, sectionName }) => `${kind} ${name}${sectionName === undefined ? '' : `/${sectionName}`}`,
  );
  return [section('targets', { targetRefs: refs, ...effect }, [...lines, effectText(effect, ':')])];
};

/** What a policy of access is for, and which of its parts are in force there. */
const accessTargets: MoreSections = async (client, object) => {
  const { namespace, name } = object.found;
  const access = await attempt('access', () => accessSection(client, 'policy', `${namespace}/${name}`));
  return [...(await policyTargets(client, object)), access];
};

const setListeners: MoreSections = async (client, { found, spec }) => {
  const { namespace = found.namespace, name = '' } = (spec.parentRef ?? {}) as { namespace?: string; name?: string };
  const all = await listenersOf(client, `${namespace}/${name}`);
  const prefix = [namespace, name, found.namespace, found.name, ''].join('.');
  const own = all.filter((each) => each.source === 'ListenerSet' && each.name.startsWith(prefix));
  return [
    section('parents', { namespace, name }, [`Gateway ${namespace}/${name}`]),
    section('listeners', own, own.length > 0 ? own.map(listenerLine) : ['none that a Gateway of ours has']),
    await attempt('access', () => accessSection(client, 'target', `ListenerSet/${found.namespace}/${found.name}`)),
    await attempt('traffic', () => trafficSection(client, `ListenerSet/${found.namespace}/${found.name}`)),
    await attempt('limits', () => limitSection(client, `ListenerSet/${found.namespace}/${found.name}`)),
  ];
};

/** Who forwards to it. */
const users: MoreSections = async (client, { found }) => {
  const query = new URLSearchParams({ namespace: found.namespace, service: found.name });
  const backends = await client.get<readonly Wire['backend'][]>(`/v1/backends?${query}`);
  const routes = backends.flatMap(({ referencedBy }) => referencedBy);
  const lines = routes.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return [section('usedBy', routes, lines.length > 0 ? [...new Set(lines)] : ['no route'])];
};

/** The same, and where its last requests went. */
const aiServiceSections: MoreSections = async (client, object) => [
  ...(await users(client, object)),
  await attempt('requests', () => aiRequestsSection(client, `${object.found.namespace}/${object.found.name}`)),
];

const poolSections: MoreSections = async (client, object) => [
  ...(await users(client, object)),
  await attempt('picks', () => picksSection(client, object.found)),
];

/** The routes whose rules name it. */
const filterUsers: MoreSections = async (client, { found }) => {
  const query = new URLSearchParams({ namespace: found.namespace });
  const routes = await client.get<readonly Wire['route'][]>(`/v1/routes?${query}`);
  const namesIt = ({ filters = [] }: Rule): boolean =>
    filters.some(({ extensionRef: ref }) => ref?.kind === found.kind && ref.name === found.name);
  const using = routes.filter(({ rules }) => (rules as readonly Rule[]).some(namesIt));
  const lines = using.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return [section('usedBy', lines, lines.length > 0 ? lines : ['no route'])];
};

/** The Gateways and classes whose proxies are run by it. */
const dataPlaneUsers: MoreSections = async (client, { found }) => {
  const [gateways, classes] = await Promise.all(
    ['Gateway', 'GatewayClass'].map((kind) => client.get<readonly Wire['resource'][]>(`/v1/resources?kind=${kind}`)),
  );
  const using = [...(gateways ?? []), ...(classes ?? [])].filter((each) => namesDataPlane(each, found));
  const lines = using.map(
    ({ kind, namespace, name }) => `${kind} ${namespace === '_cluster' ? name : `${namespace}/${name}`}`,
  );
  return [section('usedBy', lines, lines.length > 0 ? lines : ['no Gateway and no GatewayClass'])];
};

function namesDataPlane({ kind, namespace, resource }: Wire['resource'], found: Found): boolean {
  const { spec } = resource as unknown as StoredObject;
  const { parametersRef: own, infrastructure } = spec as {
    parametersRef?: Reference;
    infrastructure?: { parametersRef?: Reference };
  };
  const ref = kind === 'Gateway' ? infrastructure?.parametersRef : own;
  const where = ref?.namespace ?? (kind === 'Gateway' ? namespace : found.namespace);
  return ref?.kind === 'DataPlane' && ref.name === found.name && where === found.namespace;
}

interface Reference {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const ofClass: MoreSections = async (client, { found }): Promise<readonly Section[]> => {
  const all = await client.get<readonly Wire['gateway'][]>('/v1/gateways');
  const names = all
    .filter((each) => each.gatewayClass === found.name)
    .map(({ namespace, name }) => `${namespace}/${name}`);
  return [section('gateways', names, names.length > 0 ? names : ['none'])];
};

const extras: Readonly<Record<string, MoreSections>> = {
  AccessPolicy: accessTargets,
  ListenerSet: setListeners,
  XBackend: users,
  InferencePool: poolSections,
  AIService: aiServiceSections,
  HTTPFilter: filterUsers,
  DataPlane: dataPlaneUsers,
  GatewayClass: ofClass,
};
