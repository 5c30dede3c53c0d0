import type { Context } from 'koa';
import { type KindName, keyOf } from '../../gateway-api/index.ts';
import { auditOf } from '../auth/audit.ts';
import type { AuthorizeWrite } from '../auth/authorize-write.ts';
import { flag, HttpError } from '../http/index.ts';
import { type Asked, type Endpoints, get, type Params, post, put, remove } from '../resource/endpoint.ts';
import { bodyErrors, readObject } from '../resource/read-body.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { clusterScope, getManagedKind, managedKinds } from './managed-kinds.ts';
import { manifestFor, manifestOf, notFound } from './manifest.ts';
import { isName } from './names.ts';
import { type DryRunRecord, dryRun, manifest, type ResourceRecord, resource as record } from './record.ts';
import { dryRunRecord, resourceRecord } from './resource-record.ts';
import type { ResourceRef, ResourceStore, StoredResource, WriteResult } from './resource-store.ts';

/** What managed resources are read and written through. */
export interface ManagedSources extends AdminSources {
  readonly store: ResourceStore;
  readonly authorize: AuthorizeWrite;
}

/** What the API's description lists these under. */
export const managedTag = 'Managed resources';

const collection = '/v1/resources';
const single = '/:kind/:namespace/:name';
type Place = Params<typeof single>;

const kindOrder = new Map(managedKinds.map(({ name }, index) => [name, index]));
const namespaceOf = ({ object }: StoredResource): string => object.metadata.namespace ?? clusterScope;

const list = resource({
  path: collection,
  tag: managedTag,
  summary: 'Managed resources of every kind',
  // The store says for itself what it has.
  needsSync: false,
  record,
  list: {
    entries({ store }: ManagedSources, query) {
      const [kind, namespace, name] = [query.get('kind'), query.get('namespace'), query.get('name')];
      return store.list({
        ...(kind !== undefined && { kind: getManagedKind(kind) }),
        ...(namespace !== undefined && { namespace: namespace === clusterScope ? undefined : namespace }),
        ...(name !== undefined && { name }),
      });
    },
    filters: {
      kind: (word) => {
        const kind = getManagedKind(word);
        return (entry) => entry.kind === kind;
      },
      namespace: (namespace) => (entry) => namespaceOf(entry) === namespace,
      name: (name) => (entry) => entry.object.metadata.name === name,
    },
    sorts: {
      // Kind, namespace and name in one text, since the first sort has to be unique.
      kind: ({ kind, object }) =>
        `${String(kindOrder.get(kind.name)).padStart(2, '0')} ${object.metadata.namespace ?? ''} ${object.metadata.name}`,
      namespace: namespaceOf,
      name: ({ object }) => object.metadata.name,
      creationTimestamp: ({ object }) => object.metadata.creationTimestamp ?? '',
    },
  },
  present: (sources) => (entry) => shown(entry, sources),
});

const dryRunQuery = { dryRun: '`true`: says what would change, and changes nothing' };
const rejections = [
  'body_malformed',
  'kind_unsupported',
  'cluster_forbidden',
  'directory_read_only',
  'origin_foreign',
  'resource_conflict',
  ...bodyErrors.slice(1),
  'resource_invalid',
] as const;

/** `POST /v1/resources` */
export const apply: Endpoints<ManagedSources> = {
  endpoints: [
    post({
      path: collection,
      tag: managedTag,
      summary: 'Creates an object, or updates it when it exists',
      body: manifest,
      creates: true,
      answer: record.or(dryRun),
      query: { ...dryRunQuery, force: '`true`: takes over fields of other managers' },
      errors: [...rejections, 'namespace_not_found', 'field_conflict'],
      async handle({ ctx, query }, sources: ManagedSources) {
        const said = auditOf(ctx);
        said.dryRun = flag('dryRun', query.get('dryRun') ?? 'false');
        said.force = flag('force', query.get('force') ?? 'false');
        const written = manifestOf(await readObject(ctx));
        said.ref = written.ref;
        // As the API server has it for server-side apply, which creates what is not there.
        await sources.authorize(ctx, written.ref, ['patch', 'create']);
        const result = await sources.store.apply(written, { dryRun: said.dryRun, force: said.force });
        return answer(ctx, result, said.dryRun, sources);
      },
    }),
  ],
};

/** One managed resource: GET, PUT and DELETE. */
export const managedResource: Endpoints<ManagedSources> = {
  endpoints: [
    get({
      path: `${collection}${single}`,
      tag: managedTag,
      summary: 'One managed resource; `_cluster` stands for no namespace',
      answer: record,
      errors: ['kind_unsupported', 'path_mismatch', 'resource_not_found'],
      async handle({ params }, sources: ManagedSources) {
        const ref = refOf(params);
        const found = await sources.store.find(ref);
        if (found === undefined) throw notFound(ref);
        return shown(found, sources);
      },
    }),
    put({
      path: `${collection}${single}`,
      tag: managedTag,
      summary: 'Replaces an object; a `resourceVersion` in it must be the current one',
      body: manifest,
      answer: record.or(dryRun),
      query: dryRunQuery,
      errors: [...rejections, 'path_mismatch', 'resource_not_found'],
      async handle(asked, sources: ManagedSources) {
        const { ctx } = asked;
        const { ref, isDryRun } = begin(asked);
        const written = manifestFor(ref, await readObject(ctx));
        await sources.authorize(ctx, ref, ['update']);
        return answer(ctx, await sources.store.replace(written, { dryRun: isDryRun }), isDryRun, sources);
      },
    }),
    remove({
      path: `${collection}${single}`,
      tag: managedTag,
      summary: 'Deletes an object, and answers what it was',
      answer: record.or(dryRun),
      query: dryRunQuery,
      errors: ['kind_unsupported', 'path_mismatch', 'cluster_forbidden', 'origin_foreign', 'resource_not_found'],
      async handle(asked, sources: ManagedSources) {
        const { ctx } = asked;
        const { ref, isDryRun } = begin(asked);
        await sources.authorize(ctx, ref, ['delete']);
        return answer(ctx, await sources.store.remove(ref, { dryRun: isDryRun }), isDryRun, sources);
      },
    }),
  ],
};

/** The list of managed resources. */
export const managedResources: Endpoints<ManagedSources> = list;

/** What a write to one object is about: the audit record learns it as soon as it is known. */
function begin({ ctx, params, query }: Asked<`${string}/:kind/:namespace/:name`>): {
  readonly ref: ResourceRef;
  readonly isDryRun: boolean;
} {
  const said = auditOf(ctx);
  const isDryRun = flag('dryRun', query.get('dryRun') ?? 'false');
  said.dryRun = isDryRun;
  const ref = refOf(params);
  said.ref = ref;
  return { ref, isDryRun };
}

function answer(
  ctx: Context,
  result: WriteResult,
  isDryRun: boolean,
  sources: ManagedSources,
): ResourceRecord | DryRunRecord {
  auditOf(ctx).operation = result.operation;
  ctx.status = result.operation === 'created' && !isDryRun ? 201 : 200;
  return isDryRun ? dryRunRecord(result, statusOf(result.after, sources)) : shown(result.after, sources);
}

const shown = (stored: StoredResource, sources: ManagedSources): ResourceRecord =>
  resourceRecord(stored, statusOf(stored, sources));

/** Of an object that is kept without one. */
const statusOf = ({ kind, object }: StoredResource, { store, graph }: ManagedSources): unknown =>
  store.statuses === 'stored' ? undefined : graph.statusOf(kind.name as KindName, keyOf(object));

/** The resource that a path names. Throws a 400 for a kind that is not managed, and for a scope that the kind does not have. */
function refOf({ kind: word, namespace, name }: Place): ResourceRef {
  const kind = getManagedKind(word);
  if (kind.namespaced !== (namespace === clusterScope)) {
    const ref = { kind, name, namespace: kind.namespaced ? namespace : undefined };
    if (![name, ref.namespace ?? name].every(isName)) throw notFound(ref);
    return ref;
  }
  const message = kind.namespaced
    ? `${kind.name} is in a namespace: give it in place of ${clusterScope}`
    : `${kind.name} is in no namespace: give ${clusterScope} in place of ${namespace}`;
  throw new HttpError('path_mismatch', message, { details: [{ path: 'namespace', message }] });
}
