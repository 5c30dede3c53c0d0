import type { SourceObject } from '../kit/objects.ts';
import { type Fields, isFields } from '../kit/values.ts';
import { gatewayGroup } from './kinds.ts';
import type { Moving } from './moving.ts';

/** What a policy is for, before the move. */
export interface Target {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName: string | undefined;
}

export interface Targets {
  readonly all: readonly Target[];
  /** Found by labels. */
  readonly byLabel: number;
  /** Selectors that cannot be followed. */
  readonly lost: readonly string[];
}

const listed = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** The targets of a policy: those that it names, and those that have the labels now. Policies are for their own namespace. */
export function targetsOf({ namespace, spec }: SourceObject, moving: Moving): Targets {
  const named = [...(isFields(spec.targetRef) ? [spec.targetRef] : []), ...listed(spec.targetRefs)].flatMap(
    ({ kind, name, sectionName }) =>
      typeof kind === 'string' && typeof name === 'string'
        ? [{ kind, namespace, name, sectionName: typeof sectionName === 'string' ? sectionName : undefined }]
        : [],
  );
  const lost: string[] = [];
  const found = listed(spec.targetSelectors).flatMap((selector) => {
    const { kind, namespaces } = selector;
    if (isFields(namespaces) && (namespaces.from ?? 'Same') !== 'Same')
      lost.push(
        'a policy is for its own namespace here: write one in each other namespace BEFORE its routes are served',
      );
    if (typeof kind !== 'string') return [];
    return moving.objects
      .of(kind)
      .filter((object) => object.namespace === namespace && isSelected(object.labels, selector))
      .map(({ name }) => ({ kind, namespace, name, sectionName: undefined }));
  });
  return { all: [...named, ...found], byLabel: found.length, lost };
}

/** Whether labels fit a selector. One that cannot be read fits all: a policy may then be for more, and not for less. */
function isSelected(labels: Readonly<Record<string, string>>, { matchLabels, matchExpressions }: Fields): boolean {
  const wanted = Object.entries(isFields(matchLabels) ? matchLabels : {});
  if (!wanted.every(([label, value]) => labels[label] === value)) return false;
  return listed(matchExpressions).every(({ key, operator, values }) => {
    const label = Object.hasOwn(labels, String(key)) ? labels[String(key)] : undefined;
    const isListed = label !== undefined && Array.isArray(values) && values.includes(label);
    if (operator === 'In') return isListed;
    if (operator === 'NotIn') return !isListed;
    if (operator === 'Exists') return label !== undefined;
    if (operator === 'DoesNotExist') return label === undefined;
    return true;
  });
}

/** The targets that move, as policies of ours name them; those of some kinds. */
export const refsOf = (targets: readonly Target[], moving: Moving, kinds: readonly string[]): readonly Fields[] =>
  targets.flatMap(({ kind, namespace, name, sectionName }) => {
    const after = kinds.includes(kind) ? moving.nameAfter(kind, namespace, name) : undefined;
    if (after === undefined) return [];
    return [{ group: gatewayGroup, kind, name: after, ...(sectionName !== undefined && { sectionName }) }];
  });
