import { isDeepStrictEqual } from 'node:util';
import {
  type KindFacts,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  parseApiVersion,
} from '../../gateway-api/index.ts';
import { prune } from '../../kube/index.ts';
import { redactedText } from '../../std/index.ts';
import { HttpError } from '../http/index.ts';
import { isManagedKind } from '../managed-resources/managed-kinds.ts';
import { manifestOf } from '../managed-resources/manifest.ts';
import type { ResourceStore, WriteResult } from '../managed-resources/resource-store.ts';
import type { AdminSources } from '../sources.ts';
import type { ProposedObject } from './what-if.ts';

/** One object of a request, tried: what it would become, or why it is skipped. */
export interface Rehearsed {
  readonly proposed?: ProposedObject;
  /** What there is now. */
  readonly before?: KubernetesObject | undefined;
  readonly skipped?: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly reason: string;
  };
}

/** What every namespace is labelled with by the API server. */
const nameLabel = 'kubernetes.io/metadata.name';

interface Stage {
  readonly sources: AdminSources;
  readonly store: ResourceStore;
}

/**
 * What an object would be if it replaced what there is. Kinds that are managed here are judged and completed by their store; others
 * that are read are taken as they come. Throws what the store throws for an object that it would not take.
 */
export async function rehearse(written: KubernetesObject, stage: Stage): Promise<Rehearsed> {
  const kind = kindOf(written);
  if (kind === undefined) return { skipped: skipped(written, 'objects of this kind are not read') };
  if (kind.optIn === 'ingress' && stage.sources.ingresses.deriveInto === undefined)
    return { skipped: skipped(written, 'Ingresses are not served: set ingress.enabled') };
  if (isManagedKind(kind)) return await rehearseManaged(written, stage);
  const { metadata } = written;
  const namespace = kind.namespaced ? (metadata.namespace ?? 'default') : undefined;
  const key = keyOf({ metadata: { name: metadata.name, ...(namespace !== undefined && { namespace }) } });
  const before = stage.sources.graph.find(kind.name as KindName, key);
  const labels = kind === kinds.Namespace ? { labels: { ...metadata.labels, [nameLabel]: metadata.name } } : {};
  const placed = { ...metadata, ...labels, ...(namespace !== undefined && { namespace }) };
  const object = prune(kind, {
    ...written,
    metadata: placed,
    ...(before?.status !== undefined && { status: before.status }),
  });
  return { before, proposed: { kind: kind.name as KindName, object: resolved(object, before, stage.sources.now()) } };
}

async function rehearseManaged(written: KubernetesObject, { sources, store }: Stage): Promise<Rehearsed> {
  const { uid: _, resourceVersion: __, ...metadata } = written.metadata;
  const manifest = manifestOf({ ...written, metadata });
  const { kind } = manifest.ref;
  const result = await dryRun(store, manifest);
  const before = result?.before?.object;
  const object = prune(kind, result?.after.object ?? manifest.object);
  return {
    before: before && prune(kind, before),
    proposed: { kind: kind.name as KindName, object: resolved(object, before, sources.now()) },
  };
}

/** Undefined where it is not known, for the object's namespace is yet to come. */
async function dryRun(store: ResourceStore, manifest: ReturnType<typeof manifestOf>): Promise<WriteResult | undefined> {
  try {
    if (await store.find(manifest.ref)) return await store.replace(manifest, { dryRun: true });
    return await store.apply(manifest, { dryRun: true, force: true });
  } catch (error) {
    if (error instanceof HttpError && error.code === 'namespace_not_found') return undefined;
    throw error;
  }
}

/** With the age that it has, or would have, and the generation that a change gives it. */
function resolved(object: KubernetesObject, before: KubernetesObject | undefined, now: Date): KubernetesObject {
  const creationTimestamp =
    before?.metadata.creationTimestamp ?? object.metadata.creationTimestamp ?? now.toISOString();
  return { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

/** The two sides of an object as a person would write them. */
export function objectDifference({ proposed, before }: Rehearsed) {
  const { kind, object } = proposed as ProposedObject;
  const { namespace = '', name } = object.metadata;
  const [from, to] = [before ? userPart(before) : null, userPart(object)];
  const operation =
    from === null ? ('created' as const) : isDeepStrictEqual(from, to) ? ('unchanged' as const) : ('updated' as const);
  return { kind, namespace, name, operation, before: from && hidden(kind, from), after: hidden(kind, to) };
}

function userPart({ metadata, status: _, ...body }: KubernetesObject) {
  const { name, namespace, labels, annotations } = metadata;
  const shown = Object.entries({ name, namespace, labels, annotations });
  return { ...body, metadata: Object.fromEntries(shown.filter(([, value]) => value !== undefined && !isEmpty(value))) };
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** What is secret is there, and no more is said of it. */
function hidden(kind: string, object: object): object {
  if (kind !== 'Secret' || !('data' in object)) return object;
  const keys = Object.keys((object as { readonly data?: object }).data ?? {});
  return { ...object, data: Object.fromEntries(keys.map((key) => [key, redactedText])) };
}

function kindOf({ apiVersion, kind }: KubernetesObject): KindFacts | undefined {
  const { group } = parseApiVersion(apiVersion);
  const found: KindFacts | undefined = Object.hasOwn(kinds, kind) ? kinds[kind as KindName] : undefined;
  return found?.group === group ? found : undefined;
}

const skipped = ({ kind, metadata }: KubernetesObject, reason: string): NonNullable<Rehearsed['skipped']> => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  reason,
});
