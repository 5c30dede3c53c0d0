import type { Draft } from '../kit/draft.ts';
import { idOf, type SourceObject } from '../kit/objects.ts';
import { type Note, type Table, Visit } from '../kit/table.ts';
import type { Fields } from '../kit/values.ts';
import { isFields } from '../kit/values.ts';
import type { Moving } from './moving.ts';
import { parentsOf } from './moving.ts';
import { type Target, targetsOf } from './targets.ts';

/** A policy of Envoy Gateway that was read field by field. */
export interface Policy {
  readonly source: SourceObject;
  readonly id: string;
  readonly targets: readonly Target[];
  /** What was written of it, by kind of ours. */
  readonly draft: Draft;
  readonly notes: Note[];
  /** A part that protects has no equivalent here, and no one said that it may be left out. */
  readonly isClosed: boolean;
  /** Someone said so. */
  readonly isForced: boolean;
  /** It is put together with policies of upper levels, and does not take their place. */
  readonly isMerged: boolean;
}

export interface PolicyKind {
  readonly table: Table;
  /** Whether what is lost of it would let more in. */
  readonly protects: boolean;
  /** Writes down what is not said. */
  readonly fill?: (spec: Fields, visit: Visit) => void;
}

/** Reads a policy. `without`: `NAMESPACE/NAME` of those that are converted although a part that protects is lost. */
export function readPolicy(
  source: SourceObject,
  { table, protects, fill }: PolicyKind,
  moving: Moving,
  without: ReadonlySet<string>,
): Policy {
  const visit = new Visit(protects);
  visit.walk(source.spec, table);
  visit.guarded(() => fill?.(source.spec, visit));
  const { all, byLabel, lost } = targetsOf(source, moving);
  if (byLabel > 0)
    visit
      .at('targetSelectors')
      .note('differs', `${byLabel} objects have the labels now; name others in targetRefs when they come`);
  for (const text of lost) visit.at('targetSelectors').lose(text);
  const isForced = without.has(`${source.namespace}/${source.name}`);
  return {
    source,
    id: idOf(source),
    targets: all,
    draft: visit.draft,
    notes: visit.notes,
    isForced,
    isClosed: !isForced && visit.notes.some(({ blocks }) => blocks),
    isMerged: source.spec.mergeType !== undefined && source.spec.mergeType !== 'Replace',
  };
}

/** A note about a policy as a whole. */
export const noteOf = (verdict: Note['verdict'], field: string, text: string): Note => ({ verdict, field, text });

const isOf = (
  policy: Policy,
  kind: string,
  namespace: string,
  name: string,
  sections: readonly (string | undefined)[],
) =>
  policy.targets.some(
    (target) =>
      target.kind === kind &&
      target.namespace === namespace &&
      target.name === name &&
      sections.includes(target.sectionName),
  );

/** A place that policies may be for, from the most specific level to the least. */
export interface Level {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName: string | undefined;
}

/** The levels above a target, of all Gateways that it is at, from the most specific to the least. */
function levelsAbove({ kind, namespace, name, sectionName }: Target, moving: Moving): readonly Level[] {
  const own = sectionName === undefined ? [] : [{ kind, namespace, name, sectionName: undefined }];
  if (kind === 'Gateway') return own;
  if (kind === 'ListenerSet') {
    const found = moving.objects.find(kind, namespace, name);
    return [...own, ...(found === undefined ? [] : gatewayOf(found))];
  }
  const route = moving.objects.find(kind, namespace, name);
  return [...own, ...(route === undefined ? [] : levelsOfParents(route, moving))];
}

/** Listeners, ListenerSets and Gateways of a route. */
export const levelsOfParents = (route: SourceObject, moving: Moving): readonly Level[] =>
  parentsOf(route)
    .filter(moving.isMoved)
    .flatMap(({ kind, namespace, name, sectionName }) => {
      const parent = moving.objects.find(kind, namespace, name);
      const sections = sectionName === undefined ? sectionsOf(parent) : [sectionName];
      return [
        ...sections.map((section) => ({ kind, namespace, name, sectionName: section })),
        { kind, namespace, name, sectionName: undefined },
        ...(kind === 'ListenerSet' && parent !== undefined ? gatewayOf(parent) : []),
      ];
    });

const sectionsOf = (parent: SourceObject | undefined): readonly string[] =>
  Array.isArray(parent?.spec.listeners)
    ? parent.spec.listeners.filter(isFields).flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
    : [];

function gatewayOf({ namespace, spec }: SourceObject): readonly Level[] {
  const { name, namespace: own = namespace } = isFields(spec.parentRef) ? spec.parentRef : {};
  if (typeof name !== 'string' || typeof own !== 'string') return [];
  return [{ kind: 'Gateway', namespace: own, name, sectionName: undefined }];
}

/** The policies of a level. */
export const policiesAt = (all: readonly Policy[], { kind, namespace, name, sectionName }: Level): readonly Policy[] =>
  all.filter((policy) => isOf(policy, kind, namespace, name, [sectionName]));

/** The policies of the levels above those that a policy is for. */
export function uppersOf(policy: Policy, all: readonly Policy[], moving: Moving): readonly Policy[] {
  const levels = policy.targets.flatMap((target) => levelsAbove(target, moving));
  return [...new Set(levels.flatMap((level) => policiesAt(all, level)))].filter((upper) => upper !== policy);
}
