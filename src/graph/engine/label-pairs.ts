import type { ObjectByKind } from '../../gateway-api/index.ts';

type Labels = Readonly<Record<string, string>>;

/** One label with its value in a namespace. */
const pairOf = (namespace: string, label: string, value: string): string => `${namespace}/${label}=${value}`;

/**
 * What Pods are found by that have all of these labels: the one of them that the fewest have. Values such as `true` are those of many Pods,
 * so the longest is taken. Without labels it is the namespace.
 */
export function pairOfSelector(namespace: string, labels: Labels): string {
  const [first, ...others] = Object.entries(labels);
  if (first === undefined) return pairOf(namespace, '', '');
  const [label, value] = others.reduce((rarest, each) => (isRarer(each, rarest) ? each : rarest), first);
  return pairOf(namespace, label, value);
}

const isRarer = ([label, value]: readonly [string, string], [other, otherValue]: readonly [string, string]): boolean =>
  value.length !== otherValue.length ? value.length > otherValue.length : label < other;

/** All that `pairOfSelector` may be for selectors that the object fits. */
export const pairsOfObject = ({ metadata }: ObjectByKind['Pod']): string[] => {
  const namespace = metadata.namespace ?? '';
  const own = Object.entries(metadata.labels ?? {}).map(([label, value]) => pairOf(namespace, label, value));
  return [pairOf(namespace, '', ''), ...own];
};
