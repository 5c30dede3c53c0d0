import {
  isRouteKind,
  keyOf,
  type ObjectByKind,
  objectKey,
  parseObjectKey,
  type RouteKindName,
} from '../../gateway-api/index.ts';
import { type AccessHolding, type GraphView, gatewayOfSet } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { routeKeyOf, ruleNames } from '../route-test/access-question.ts';
import type { RouteObject } from '../routes/route-record.ts';
import { nameOf } from './judged.ts';
import type { AccessEntry } from './record.ts';

type Policy = ObjectByKind['AccessPolicy'];
type TargetRef = Policy['spec']['targetRefs'][number];

/** Every part of every policy that requests to a route meet: Gateway by Gateway, rule by rule, in the order of the chain. */
export function routeEntries(graph: GraphView, route: RouteObject): AccessEntry[] {
  const key = routeKeyOf(route);
  return graph.placesOf(key).flatMap(({ gateway, hosts }) =>
    ruleNames(route).flatMap((rule, index) =>
      graph.accessAt({ gateway, route: key, rule }).map((holding) => ({
        ...shownHolding(holding),
        gateway: nameOf(gateway),
        target: targetOf(route.kind, keyOf(route), rule),
        rule: index,
        ruleName: rule ?? null,
        hosts: [...hosts],
        hostCount: hosts.length,
      })),
    ),
  );
}

/** Every target of a policy, at each of its Gateways, and each part that the policy demands there. */
export const policyEntries = (graph: GraphView, policy: Policy): AccessEntry[] =>
  policy.spec.targetRefs.flatMap((ref) => targetEntries(graph, policy, ref));

function targetEntries(graph: GraphView, policy: Policy, ref: TargetRef): AccessEntry[] {
  const missing = missingTarget(graph, policy, ref);
  const places = missing === undefined ? placesOf(graph, policy, ref) : [];
  if (places.length > 0) return places.flatMap((place) => placeEntries(graph, policy, ref, place));
  const key = keyOfTarget(policy, ref);
  const reason = missing ? `TargetNotFound: ${missing}` : `no Gateway of ours has ${ref.kind} ${key}`;
  return [
    {
      ...nothing,
      target: targetOf(ref.kind, key, ref.sectionName),
      policy: nameOf(keyOf(policy)),
      state: 'unattached',
      reasons: [reason],
    },
  ];
}

/** What of a target is not there, if anything: a policy for a rule or listener that its object lacks demands nothing. */
function missingTarget(graph: GraphView, policy: Policy, ref: TargetRef): string | undefined {
  const key = keyOfTarget(policy, ref);
  const object = graph.find(ref.kind, key);
  if (!object) return `${ref.kind} ${key} does not exist`;
  const { sectionName } = ref;
  const isOwner = object.kind === 'Gateway' || object.kind === 'ListenerSet';
  const names = isOwner ? object.spec.listeners.map(({ name }) => name) : ruleNames(object);
  if (sectionName === undefined || names.includes(sectionName)) return undefined;
  return `${ref.kind} ${key} has no ${isOwner ? 'listener' : 'rule'} named ${sectionName}`;
}

const nothing = {
  gateway: null,
  rule: null,
  ruleName: null,
  level: null,
  part: null,
  by: null,
  hosts: [],
  hostCount: 0,
} as const;

interface Place {
  readonly gateway: string;
  readonly hosts: readonly string[];
  readonly hostCount: number;
}

const keyOfTarget = ({ metadata }: Policy, { name }: TargetRef): string => objectKey(metadata.namespace ?? '', name);

/** What a kind of target is: where it is served. A kind without one does not compile. */
function placesOf(graph: GraphView, policy: Policy, ref: TargetRef): readonly Place[] {
  const key = keyOfTarget(policy, ref);
  if (isRouteKind(ref.kind))
    return graph
      .placesOf(`${ref.kind satisfies RouteKindName} ${key}`)
      .map((place) => ({ ...place, hostCount: place.hosts.length }));
  return ref.kind === 'Gateway' && ref.sectionName === undefined
    ? gatewayPlaces(graph, key)
    : listenerPlaces(graph, ref.kind, key, ref.sectionName);
}

/** Of a ListenerSet, or of one listener: the hostnames. */
function listenerPlaces(
  graph: GraphView,
  kind: 'Gateway' | 'ListenerSet',
  key: string,
  section: string | undefined,
): Place[] {
  const object = graph.find(kind, key);
  const gateway = object && (object.kind === 'ListenerSet' ? gatewayOfSet(object) : key);
  if (!object || gateway === undefined || graph.statusOf('Gateway', gateway) === undefined) return [];
  const listeners = object.spec.listeners.filter(({ name }) => section === undefined || name === section);
  const hosts = [...new Set(listeners.map(({ hostname = '*' }) => hostname))].sort();
  return [{ gateway, hosts, hostCount: hosts.length }];
}

/** Of a Gateway of ours: hostnames of its listeners, and how many hosts its proxies have. */
export function gatewayPlaces(graph: GraphView, key: string): Place[] {
  if (graph.statusOf('Gateway', key) === undefined) return [];
  const { namespace, name } = parseObjectKey(key);
  const own = [...graph.listeners()].filter(({ gateway }) => gateway.namespace === namespace && gateway.name === name);
  const tables = graph.snapshot()?.gateways.get(graph.fleetOf(key))?.tables;
  const hostCount = [...(tables?.values() ?? [])].reduce((sum, table) => sum + hostsIn(table), 0);
  return [{ gateway: key, hosts: [...new Set(own.map(({ hostname = '*' }) => hostname))].sort(), hostCount }];
}

/** Exact hosts are there for routes; wider ones also for those that listeners have without any. */
const hostsIn = ({ exact, fallback }: ir.RouteTable): number =>
  exact.size + fallback.count(({ routes }) => routes.length > 0);

function placeEntries(
  graph: GraphView,
  policy: Policy,
  ref: TargetRef,
  { gateway, hosts, hostCount }: Place,
): AccessEntry[] {
  const key = keyOfTarget(policy, ref);
  const target = isRouteKind(ref.kind)
    ? { route: `${ref.kind} ${key}`, rule: ref.sectionName }
    : { listener: { owner: { kind: ref.kind, ...parseObjectKey(key) }, name: ref.sectionName } };
  const holdings = graph
    .accessAt({ gateway, ...target })
    .filter(({ policy: holder, level }) => holder === keyOf(policy) && level === levelOf(ref));
  return holdings.map((holding) => ({
    ...shownHolding(holding),
    gateway: nameOf(gateway),
    target: targetOf(ref.kind, key, ref.sectionName),
    rule: null,
    ruleName: null,
    hosts: [...hosts],
    hostCount,
  }));
}

const levelOf = ({ kind, sectionName }: TargetRef): ir.AccessLevel => {
  if (kind === 'Gateway' || kind === 'ListenerSet') {
    if (sectionName !== undefined) return 'listener';
    return kind === 'Gateway' ? 'gateway' : 'listenerSet';
  }
  return sectionName === undefined ? 'route' : 'rule';
};

export const targetOf = (kind: string, key: string, rule: string | undefined): AccessEntry['target'] => ({
  kind,
  ...nameOf(key),
  rule: rule ?? null,
});

export function shownHolding({ level, part, policy, state, by, faults }: AccessHolding) {
  const reasons = faults.map(({ reason, message }) => `${reason}: ${message}`);
  return { level, part, policy: nameOf(policy), state, by: by === undefined ? null : nameOf(by), reasons };
}

/** What entries are ordered by: as requests meet them. */
export const placeText = ({ gateway, target, rule, part, level, policy }: AccessEntry): string =>
  [
    gateway ? `${gateway.namespace}/${gateway.name}` : '',
    target.kind,
    `${target.namespace}/${target.name}`,
    rule === null ? (target.rule ?? '') : String(rule).padStart(4, '0'),
    part === null ? '' : String(ir.accessParts.indexOf(part)).padStart(2, '0'),
    level === null ? '' : String(ir.accessLevels.indexOf(level)),
    `${policy.namespace}/${policy.name}`,
  ].join('\0');
