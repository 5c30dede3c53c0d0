import type { SnapshotDiff } from '../../api/gen/types.ts';

type Entry = SnapshotDiff['ir'][number];

/** One thing that differs between two snapshots. */
export interface Difference {
  readonly key: string;
  readonly gateway: string;
  readonly kind: Entry['kind'];
  /** As the API has it; of a route the table and the host. */
  readonly name: string;
  /** Of a route `KIND/NAMESPACE/NAME/rule/0/match/1`; empty for what is none. */
  readonly route: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** In this order, as requests meet them. */
export const differenceKinds: readonly Entry['kind'][] = [
  'access',
  'listener',
  'route',
  'stream',
  'backend',
  'endpoints',
  'secret',
];

/**
 * The API says of a route that changed that one went and that one came: both become the two sides of one difference. Ordered by kind, then by
 * what is different.
 */
export function pairedDifferences(entries: readonly Entry[]): readonly Difference[] {
  const byKey = new Map<string, Difference>();
  for (const { gateway, kind, name, before, after } of entries) {
    const id = kind === 'route' ? idOf(before ?? after) : '';
    const key = JSON.stringify([gateway, kind, name, id]);
    const other = byKey.get(key);
    byKey.set(key, {
      key,
      gateway,
      kind,
      name,
      route: id,
      before: before ?? other?.before ?? null,
      after: after ?? other?.after ?? null,
    });
  }
  return [...byKey.values()].toSorted(
    (a, b) => differenceKinds.indexOf(a.kind) - differenceKinds.indexOf(b.kind) || textOf(a).localeCompare(textOf(b)),
  );
}

const textOf = ({ route, name, gateway }: Difference): string => `${route} ${name} ${gateway}`;

function idOf(side: unknown): string {
  const { id } = (typeof side === 'object' && side !== null ? side : {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : '';
}
