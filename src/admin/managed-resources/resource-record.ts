import { changesBetween } from './changes.ts';
import { clusterScope } from './managed-kinds.ts';
import type { DryRunRecord, ResourceRecord } from './record.ts';
import type { StoredResource, WriteResult } from './resource-store.ts';

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
