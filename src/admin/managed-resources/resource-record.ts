import type { KubernetesObject } from '../../gateway-api/index.ts';
import { type Change, changesBetween } from './changes.ts';
import { clusterScope } from './managed-kinds.ts';
import type { StoredResource, WriteResult } from './resource-store.ts';

/** One managed resource as the admin API shows it. */
export interface ResourceRecord {
  readonly apiVersion: string;
  readonly kind: string;
  /** `_cluster` for cluster-scoped kinds, as in paths. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly generation: number | null;
  /** ISO 8601, UTC, with milliseconds. */
  readonly creationTimestamp: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether some of it was written through the admin API. */
  readonly managed: boolean;
  /** The whole object, without `managedFields`. */
  readonly resource: KubernetesObject;
}

/** What a write would do. */
export interface DryRunRecord extends ResourceRecord {
  readonly dryRun: true;
  readonly operation: WriteResult['operation'];
  readonly changes: readonly Change[];
}

/** `status` is shown for an object that is kept without one. */
export function resourceRecord({ kind, object, managed }: StoredResource, status?: unknown): ResourceRecord {
  const { metadata } = object;
  const { managedFields: _, ...shown } = metadata as typeof metadata & { managedFields?: unknown };
  return {
    apiVersion: object.apiVersion,
    kind: kind.name,
    namespace: metadata.namespace ?? clusterScope,
    name: metadata.name,
    uid: metadata.uid ?? null,
    generation: metadata.generation ?? null,
    creationTimestamp: isoTime(metadata.creationTimestamp),
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    managed,
    resource: { ...object, metadata: shown, ...(status !== undefined && { status }) },
  };
}

export function dryRunRecord({ operation, before, after }: WriteResult, status?: unknown): DryRunRecord {
  const changes =
    operation === 'deleted' ? changesBetween(after.object, undefined) : changesBetween(before?.object, after.object);
  return { ...resourceRecord(after, status), dryRun: true, operation, changes };
}

const isoTime = (text: string | undefined): string | null => (text === undefined ? null : new Date(text).toISOString());
