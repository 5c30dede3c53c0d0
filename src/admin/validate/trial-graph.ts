import { kindModules } from '../../controllers/index.ts';
import {
  type Condition,
  isProblem,
  isRouteKind,
  type KindName,
  type KubernetesObject,
  keyOf,
  type ObjectByKind,
  type Status,
  type StatusPart,
  severityOf,
  statusParts,
} from '../../gateway-api/index.ts';
import { Graph, type GraphView } from '../../graph/index.ts';
import { each, type Steps } from '../../std/steps/index.ts';

/** Kinds of which a trial takes in stored objects: all, or those that something names. */
const kindsInTrials = (which: 'all' | 'named'): readonly KindName[] =>
  (Object.keys(kindModules) as KindName[]).filter((kind) => kindModules[kind].about.inTrials === which);

/** What a proxy would have to say of it, or a cluster's load balancer, which no trial can know. */
const unknowable: ReadonlySet<string> = new Set(['Programmed']);

/** Keys, images and files are fetched for objects that are there, so a trial has none. */
const unfetched: ReadonlySet<string> = new Set([
  'KeysNotFetched',
  'KeysStale',
  'DiscoveryFailed',
  'ImageNotPulled',
  'FileNotRead',
]);

/** What there is to say of an object. */
export interface TrialVerdict {
  /** Why it would not work. */
  readonly errors: readonly string[];
  /** What of it would not work, or what a person should know of it. */
  readonly warnings: readonly string[];
}

/**
 * What would happen to objects beside what there is: a graph of their own resolves them, with everything they could refer to. Other routes
 * are left out, which no object's own conditions depend on, but for streams, whose oldest route wins. Costs what they could refer to is large, and
 * gives others turns meanwhile.
 */
export function* tryObjects(
  present: GraphView,
  objects: readonly KubernetesObject[],
  { controllerName, now }: { readonly controllerName: string; readonly now: Date },
): Steps<readonly TrialVerdict[]> {
  const trial = new Graph({
    controllerName,
    kinds: kindModules,
    hosts: present.hosts,
    userCode: present.userCode,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const put = (object: KubernetesObject) =>
    trial.upsert(object.kind as KindName, object as ObjectByKind[KindName] as never);
  // All at once: what there is may change in the turns of others.
  yield* each([...objectsBeside(present, objects)], put);
  for (const object of objects) put(object);
  yield* trial.building(now);
  return objects.map((object) => verdictOf(object, trial.statusOf(object.kind as KindName, keyOf(object))));
}

function* objectsBeside(present: GraphView, objects: readonly KubernetesObject[]): Generator<KubernetesObject> {
  const isNamed = namesIn([...objects, ...present.list('Gateway'), ...present.list('ListenerSet')]);
  for (const kind of kindsInTrials('all')) yield* present.list(kind);
  for (const kind of kindsInTrials('named'))
    for (const object of present.list(kind)) if (isNamed(object.metadata.name)) yield object;
  for (const slice of present.list('EndpointSlice'))
    if (isNamed(slice.metadata.labels?.['kubernetes.io/service-name'] ?? '')) yield slice;
}

/** Every text in the objects, for names of others are among them. */
function namesIn(objects: readonly unknown[]): (name: string) => boolean {
  const texts = new Set<string>();
  const todo: unknown[] = [...objects];
  while (todo.length > 0) {
    const value = todo.pop();
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null) todo.push(...Object.values(value));
  }
  return (name) => texts.has(name);
}

const noParent = 'none of its parentRefs is a Gateway of ours that exists';

/** Kinds without a status until something uses them. */
const statusMayComeLater: ReadonlySet<string> = new Set(['BackendPolicy', 'DataPlane', 'EnvoyPatch']);

function verdictOf({ kind }: KubernetesObject, status: Status | undefined): TrialVerdict {
  // They work by being referred to, or by routes to what they are for; both may come later, and no trial has all routes.
  if (kind === 'ReferenceGrant' || (status === undefined && statusMayComeLater.has(kind)))
    return { errors: [], warnings: [] };
  if (status === undefined && !isRouteKind(kind))
    return onlyError(`no controller of ours would look at this ${kind}: see its class, or what it is for`);
  const parts = status === undefined ? [] : statusParts(status);
  if (parts.length === 0 && isRouteKind(kind)) return onlyError(noParent);
  return {
    errors: textsOf(parts, isError, (type) => `${type} would be wrong`),
    warnings: textsOf(parts, isWarning, (type) => type),
  };
}

const onlyError = (error: string): TrialVerdict => ({ errors: [error], warnings: [] });

const textsOf = (
  parts: readonly StatusPart[],
  isSuch: (condition: Condition) => boolean,
  words: (type: string) => string,
): string[] =>
  parts.flatMap((part) =>
    part.conditions
      .filter(({ type, reason }) => !unknowable.has(type) && !unfetched.has(reason))
      .filter(isSuch)
      .map(({ type, reason, message }) => `${placeOf(part)}${words(type)}: ${reason}: ${message}`),
  );

/** A proposal whose references do not resolve needs a fix, though its other rules would be served. */
const isError = (condition: Condition): boolean =>
  severityOf(condition) === 'error' || (condition.type === 'ResolvedRefs' && isProblem(condition));

const isWarning = (condition: Condition): boolean => severityOf(condition) !== undefined && !isError(condition);

function placeOf({ of, name }: StatusPart): string {
  if (of === 'listener') return `listener ${name}: `;
  return of === 'parent' ? `at ${name}: ` : '';
}
