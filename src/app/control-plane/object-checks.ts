import {
  classFault,
  credentialFinding,
  type Finding,
  idleRulesFinding,
  parentFault,
  policyKinds,
  type TargetLookup,
  targetFinding,
} from '../../admin/index.ts';
import {
  isRouteKind,
  type KindName,
  objectKey,
  parseObjectKey,
  type RouteKindName,
  type RouteParentStatus,
} from '../../gateway-api/index.ts';
import type { Graph } from '../../graph/index.ts';

/** What objects are looked up in. */
export interface LookedUp extends Pick<TargetLookup, 'reads' | 'availability'> {
  readonly graph: Pick<Graph, 'find' | 'list' | 'statusOf'>;
  readonly controllerName: string;
}

/** What is wrong with one object that no condition says, and what could make it good. */
export interface Lack {
  readonly finding: Finding;
  /** Objects that it misses, `KIND KEY`. */
  readonly awaits: readonly string[];
}

type Check = (key: string, given: LookedUp) => Lack | undefined;

/** By sort; empty for kinds that nothing is looked for in. */
export function checksOf(kind: KindName): readonly (readonly [sort: string, check: Check])[] {
  if (kind === 'Gateway') return [['class', classLack]];
  if (kind === 'AIService') return [['credential', credentialLack]];
  if (policies.has(kind)) return [['target', (key, given) => targetLack(kind, key, given)]];
  return isRouteKind(kind) ? routeChecks[kind] : [];
}

const policies: ReadonlySet<KindName> = new Set(policyKinds);

const checksOfRoutes = (kind: RouteKindName) =>
  [
    ['parent', (key, given) => parentLack(kind, key, given)],
    ['rules', (key, given) => rulesLack(kind, key, given)],
  ] as const satisfies readonly (readonly [string, Check])[];

const routeChecks = {
  HTTPRoute: checksOfRoutes('HTTPRoute'),
  GRPCRoute: checksOfRoutes('GRPCRoute'),
  TLSRoute: checksOfRoutes('TLSRoute'),
  TCPRoute: checksOfRoutes('TCPRoute'),
  UDPRoute: checksOfRoutes('UDPRoute'),
} satisfies Readonly<Record<RouteKindName, unknown>>;

function classLack(key: string, given: LookedUp): Lack | undefined {
  const gateway = given.graph.find('Gateway', key);
  const message = gateway && classFault(gateway, given);
  if (message === undefined) return undefined;
  const object = { kind: 'Gateway', ...parseObjectKey(key) };
  // Every change of a class concerns all Gateways.
  return { finding: { code: 'gateway_class_unknown', object, message }, awaits: [] };
}

function parentLack(kind: RouteKindName, key: string, given: LookedUp): Lack | undefined {
  const route = given.graph.find(kind, key);
  const message = route && parentFault(route, given);
  if (message === undefined) return undefined;
  const own = parseObjectKey(key);
  const parents = route?.spec.parentRefs ?? [];
  return {
    finding: { code: 'parent_unknown', object: { kind, ...own }, message },
    awaits: parents.map(
      (parent) => `${parent.kind ?? 'Gateway'} ${objectKey(parent.namespace ?? own.namespace, parent.name)}`,
    ),
  };
}

/** Other controllers may answer in another way, and where a condition is False that is said. */
function rulesLack(kind: RouteKindName, key: string, given: LookedUp): Lack | undefined {
  const route = given.graph.find(kind, key);
  const finding = route && idleRulesFinding(route);
  if (finding === undefined) return undefined;
  const status = given.graph.statusOf(kind, key);
  const parents: readonly RouteParentStatus[] = status && 'parents' in status ? status.parents : [];
  const isGood =
    parents.length > 0 && parents.every(({ conditions }) => conditions.every((one) => one.status === 'True'));
  return isGood ? { finding, awaits: [] } : undefined;
}

function targetLack(kind: KindName, key: string, given: LookedUp): Lack | undefined {
  const policy = given.graph.find(kind, key);
  const finding = policy && targetFinding(kind, policy, given);
  if (finding === undefined) return undefined;
  const { namespace } = finding.object;
  const { targetRefs } = (policy as unknown as { readonly spec: { readonly targetRefs: readonly TargetRef[] } }).spec;
  return { finding, awaits: targetRefs.map((ref) => `${ref.kind} ${objectKey(namespace, ref.name)}`) };
}

interface TargetRef {
  readonly kind: string;
  readonly name: string;
}

function credentialLack(key: string, { graph }: LookedUp): Lack | undefined {
  const service = graph.find('AIService', key);
  const finding = service && credentialFinding(service);
  return finding && { finding, awaits: [] };
}
