import { type KubernetesObject, keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { pushTo } from '../../std/index.ts';
import { canariesOf } from '../convert/canaries-of.ts';
import { digestName, fromName } from '../convert/origin.ts';
import type { Judged, Judgement } from '../judge/judge.ts';
import { hasPaths } from '../judge/site.ts';
import { ingressDigest } from '../values/ingress-digest.ts';

/** How far a move is, for one Ingress. `converted`: whether a Gateway accepts its routes is not known. */
export type MoveState = 'accepted' | 'converted' | 'pending' | 'changed' | 'open' | 'not-served';

export interface IngressStatus {
  readonly ingress: string;
  readonly state: MoveState;
  /** Names of its routes, in its namespace. */
  readonly routes: readonly string[];
  readonly text: string;
}

/** How far a move is. This is also what `-o json` prints: fields are only added. */
export interface MigrationStatus {
  readonly version: 1;
  readonly counts: Readonly<Record<MoveState, number>>;
  readonly ingresses: readonly IngressStatus[];
  /** Converted routes, as `NAMESPACE/NAME`, whose Ingress is gone. */
  readonly gone: readonly string[];
  /** Certificates that belong to an Ingress and are deleted with it; null: it is not known. */
  readonly certificates: readonly string[] | null;
  /** What could not be read, in words. */
  readonly unread: readonly string[];
}

type Route = ObjectByKind['HTTPRoute'];

/** What there is beside the Ingresses. */
export interface NewWorld {
  readonly routes: readonly Route[];
  /** The routes say which Gateways accept them; those of files do not. */
  readonly isCluster: boolean;
  /** Of cert-manager; undefined: they were not read. */
  readonly certificates?: readonly KubernetesObject[] | undefined;
  readonly unread: readonly string[];
}

export function migrationStatus(
  { site, ingresses }: Judgement,
  { routes, isCluster, certificates, unread }: NewWorld,
): MigrationStatus {
  const converted = new Map<string, Route[]>();
  for (const route of routes) {
    const from = originOf(route);
    if (from !== undefined) pushTo(converted, from, route);
  }
  const canaries = new Map<string, MoveState[]>();
  const own = ({ key, ingress }: Judged): IngressStatus => {
    if (!hasPaths(ingress, site)) return { ingress: key, routes: [], state: 'not-served', text: ofNoPath };
    const parts = canariesOf(ingress, site);
    const found = stateOf(converted.get(key) ?? [], ingressDigest(ingress, parts), isCluster);
    for (const part of parts) pushTo(canaries, keyOf(part), found.state);
    return { ingress: key, ...found };
  };
  const isShare = ({ ingress, settings }: Judged) => settings.is('canary') && !hasPaths(ingress, site);
  const served = ingresses.filter((each) => !site.dead.has(each.key) && !isShare(each));
  const others = new Map(served.map((each) => [each.key, own(each)]));
  const rows = ingresses.map(({ key }): IngressStatus => {
    if (site.dead.has(key)) return { ingress: key, routes: [], state: 'not-served', text: site.dead.get(key) ?? '' };
    return others.get(key) ?? { ingress: key, routes: [], ...stateOfCanary(canaries.get(key) ?? []) };
  });
  const known = new Set<string>(ingresses.map(({ key }) => key));
  const counted = (state: MoveState) => rows.filter((row) => row.state === state).length;
  return {
    version: 1,
    counts: {
      accepted: counted('accepted'),
      converted: counted('converted'),
      pending: counted('pending'),
      changed: counted('changed'),
      open: counted('open'),
      'not-served': counted('not-served'),
    },
    ingresses: rows,
    gone: [...converted].flatMap(([from, some]) => (known.has(from) ? [] : some.map(keyOf))).sort(),
    certificates: certificates?.filter(isOfIngress).map(keyOf).sort() ?? null,
    unread,
  };
}

/** It is rules and weights in the routes of other Ingresses: as far as the last of them. */
function stateOfCanary(states: readonly MoveState[]): Pick<IngressStatus, 'state' | 'text'> {
  const state = (['open', 'changed', 'pending', 'converted', 'accepted'] as const).find((each) =>
    states.includes(each),
  );
  return state === undefined
    ? { state: 'not-served', text: 'a canary, and no Ingress has its hosts and paths' }
    : {
        state,
        text: `a canary: part of the routes of its Ingress${state === 'changed' ? ', which is to be converted again' : ''}`,
      };
}

/** A conversion makes nothing of it, and nothing is lost. */
const ofNoPath = 'other Ingresses answer all of its paths';

/** `NAMESPACE/NAME` of the Ingress that a route was made from. */
const originOf = ({ metadata: { annotations = {} } }: Route): string | undefined =>
  annotations[fromName]?.replace(/@.*$/s, '');

function stateOf(routes: readonly Route[], digest: string, isCluster: boolean): Omit<IngressStatus, 'ingress'> {
  const names = routes.map(({ metadata }) => metadata.name).sort();
  const found = { routes: names };
  if (routes.length === 0) return { ...found, state: 'open', text: 'no route was made from it' };
  if (routes.some(({ metadata }) => metadata.annotations?.[digestName] !== digest))
    return { ...found, state: 'changed', text: 'it has changed since its conversion: convert it again' };
  if (!isCluster) return { ...found, state: 'converted', text: 'it is as it was when it was converted' };
  const waiting = routes.filter((route) => !isAccepted(route)).map(({ metadata }) => metadata.name);
  return waiting.length === 0
    ? { ...found, state: 'accepted', text: 'its routes are accepted' }
    : {
        ...found,
        state: 'pending',
        text: `not all parents have accepted ${waiting.sort().join(', ')}`,
      };
}

/** By a Gateway, at each parent. */
function isAccepted({ spec, status }: Route): boolean {
  const parents = status?.parents ?? [];
  const accepted = parents.filter(({ conditions = [] }) =>
    conditions.some((condition) => condition.type === 'Accepted' && condition.status === 'True'),
  );
  return accepted.length > 0 && accepted.length >= (spec.parentRefs?.length ?? 0);
}

function isOfIngress({ metadata }: KubernetesObject): boolean {
  const { ownerReferences = [] } = metadata as { readonly ownerReferences?: readonly { readonly kind?: string }[] };
  return ownerReferences.some(({ kind }) => kind === 'Ingress');
}

/** Whether every Ingress that is served is at its new place. */
export const isMoved = ({ counts, gone }: MigrationStatus): boolean =>
  counts.pending + counts.changed + counts.open + gone.length === 0;
