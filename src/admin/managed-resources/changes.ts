import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../gateway-api/index.ts';

/** One place that a write changes. `before` is missing where there was nothing, `after` where nothing stays. */
export interface Change {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * What a write changes of what users write: labels, annotations, and all outside of metadata and status. The deepest places that differ,
 * lists compared item by item.
 */
export function changesBetween(before: KubernetesObject | undefined, after: KubernetesObject | undefined): Change[] {
  return differences('', before && userPart(before), after && userPart(after));
}

function userPart({ metadata, status: _, ...body }: KubernetesObject): object {
  const { labels = {}, annotations = {} } = metadata;
  return { ...body, metadata: { labels, annotations } };
}

function differences(path: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const longest = before.length > after.length ? before : after;
    return longest.flatMap((_, index) => differences(`${path}[${index}]`, before[index], after[index]));
  }
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(join(path, name), own(before, name), own(after, name)));
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** A name with dots of its own, as labels have, is written in brackets. */
function join(path: string, name: string): string {
  if (name.includes('.')) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

const own = (record: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
