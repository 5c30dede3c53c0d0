import type { Router, RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { type KindName, keyOf } from '../../gateway-api/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { audit, auditOf } from '../auth/audit.ts';
import type { AuthorizeWrite } from '../auth/authorize-write.ts';
import { flag, HttpError, type ListSpec, listPage, readQuery } from '../http/index.ts';
import { readBodyText, readObject } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import { clusterScope, getManagedKind, managedKinds } from './managed-kinds.ts';
import { manifestFor, manifestOf, notFound } from './manifest.ts';
import { isName } from './names.ts';
import { dryRunRecord, type ResourceRecord, resourceRecord } from './resource-record.ts';
import type { ResourceRef, ResourceStore, StoredResource, WriteResult } from './resource-store.ts';

export interface ResourceOptions {
  readonly store: ResourceStore;
  /** Has the statuses of objects that are kept without one. */
  readonly graph: Pick<AdminSources['graph'], 'statusOf'>;
  readonly logger: Logger;
  /** Goes before writes. */
  readonly guard: Middleware;
  readonly authorize: AuthorizeWrite;
}

const collection = '/v1/resources';
const single = '/v1/resources/:kind/:namespace/:name';

/** Adds the managed resources of Layout 1 to its router. `tag` goes around reads. */
export function mountResources(router: Router, tag: Middleware, options: ResourceOptions): void {
  const { store } = options;
  const resources = new Resources(options);
  const write = [audit(options.logger), options.guard] as const;
  router.get(collection, tag, (ctx) => resources.list(ctx));
  router.get(single, tag, async (ctx) => {
    readQuery(ctx, []);
    ctx.body = resources.record(await getResource(store, refOf(ctx)));
  });
  router.post(collection, ...write, readBodyText, (ctx) => resources.apply(ctx));
  router.put(single, ...write, readBodyText, (ctx) => resources.replace(ctx));
  router.delete(single, ...write, (ctx) => resources.remove(ctx));
}

/** The handlers. Each says to the audit record what it learns, as soon as it does. */
class Resources {
  readonly #options: ResourceOptions;

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  record(resource: StoredResource): ResourceRecord {
    return resourceRecord(resource, this.#statusOf(resource));
  }

  async list(ctx: Context): Promise<void> {
    const query = readQuery(ctx, ['limit', 'offset', 'sort', 'order', 'kind', 'namespace', 'name']);
    const kind = query.get('kind');
    const namespace = query.get('namespace');
    const found = await this.#options.store.list({
      ...(kind !== undefined && { kind: getManagedKind(kind) }),
      ...(namespace !== undefined && { namespace: namespace === clusterScope ? undefined : namespace }),
      ...(query.has('name') && { name: query.get('name') as string }),
    });
    ctx.body = listPage(ctx, found, resourceList).map((resource) => this.record(resource));
  }

  async apply(ctx: Context): Promise<void> {
    const said = auditOf(ctx);
    const query = readQuery(ctx, ['dryRun', 'force']);
    said.dryRun = flag('dryRun', query.get('dryRun') ?? 'false');
    said.force = flag('force', query.get('force') ?? 'false');
    const manifest = manifestOf(await readObject(ctx));
    said.ref = manifest.ref;
    const { store, authorize } = this.#options;
    // As the API server has it for server-side apply, which creates what is not there.
    await authorize(ctx, manifest.ref, ['patch', 'create']);
    const result = await store.apply(manifest, { dryRun: said.dryRun, force: said.force });
    this.#answer(ctx, result, said.dryRun);
  }

  async replace(ctx: RouterContext): Promise<void> {
    const said = auditOf(ctx);
    said.dryRun = readDryRun(ctx);
    const ref = refOf(ctx);
    said.ref = ref;
    const manifest = manifestFor(ref, await readObject(ctx));
    await this.#options.authorize(ctx, ref, ['update']);
    this.#answer(ctx, await this.#options.store.replace(manifest, { dryRun: said.dryRun }), said.dryRun);
  }

  async remove(ctx: RouterContext): Promise<void> {
    const said = auditOf(ctx);
    said.dryRun = readDryRun(ctx);
    said.ref = refOf(ctx);
    await this.#options.authorize(ctx, said.ref, ['delete']);
    this.#answer(ctx, await this.#options.store.remove(said.ref, { dryRun: said.dryRun }), said.dryRun);
  }

  #answer(ctx: Context, result: WriteResult, dryRun: boolean): void {
    auditOf(ctx).operation = result.operation;
    ctx.status = result.operation === 'created' && !dryRun ? 201 : 200;
    ctx.body = dryRun ? dryRunRecord(result, this.#statusOf(result.after)) : this.record(result.after);
  }

  #statusOf({ kind, object }: StoredResource): unknown {
    const { store, graph } = this.#options;
    return store.statuses === 'stored' ? undefined : graph.statusOf(kind.name as KindName, keyOf(object));
  }
}

const readDryRun = (ctx: Context): boolean => flag('dryRun', readQuery(ctx, ['dryRun']).get('dryRun') ?? 'false');

/** The resource that a path names. Throws a 400 for a kind that is not managed, and for a scope that the kind does not have. */
function refOf(ctx: RouterContext): ResourceRef {
  const { kind: word = '', namespace = '', name = '' } = ctx.params as Readonly<Record<string, string>>;
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

async function getResource(store: ResourceStore, ref: ResourceRef): Promise<StoredResource> {
  const found = await store.find(ref);
  if (found === undefined) throw notFound(ref);
  return found;
}

const kindOrder = new Map(managedKinds.map(({ name }, index) => [name, index]));
const namespaceOf = ({ object }: StoredResource): string => object.metadata.namespace ?? clusterScope;

/** Sorted by kind, namespace and name in one text, since the first sort has to be unique. */
export const resourceList: ListSpec<StoredResource> = {
  filters: {
    kind: (word) => {
      const kind = getManagedKind(word);
      return (resource) => resource.kind === kind;
    },
    namespace: (namespace) => (resource) => namespaceOf(resource) === namespace,
    name: (name) => (resource) => resource.object.metadata.name === name,
  },
  sorts: {
    kind: ({ kind, object }) =>
      `${String(kindOrder.get(kind.name)).padStart(2, '0')} ${object.metadata.namespace ?? ''} ${object.metadata.name}`,
    namespace: namespaceOf,
    name: ({ object }) => object.metadata.name,
    creationTimestamp: ({ object }) => object.metadata.creationTimestamp ?? '',
  },
};
