import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf, type Kind, type KubernetesObject } from '../../../gateway-api/index.ts';
import { type KubeClient, KubeError, type KubeRequest, type ResourceType, resourcePath } from '../../../kube/index.ts';
import { HttpError } from '../../http/index.ts';
import { managedKinds } from '../managed-kinds.ts';
import { notFound, refText } from '../manifest.ts';
import { isName } from '../names.ts';
import type {
  Manifest,
  ResourceRef,
  ResourceStore,
  StoredResource,
  WriteOptions,
  WriteResult,
} from '../resource-store.ts';
import { clusterError, isKindMissing, writerAdvice } from './cluster-error.ts';
import { WriteRights } from './write-rights.ts';

/** Owner of the fields that are written through the admin API. */
const fieldManager = 'gatewright-admin';

/** How often a replacement that names no version is tried on an object that others write to. */
const replaceTries = 5;

/** Managed resources in a cluster: everything is asked of the API server, which validates, gives defaults and resolves conflicts. */
export class ClusterResourceStore implements ResourceStore {
  readonly statuses = 'stored';
  readonly writeAdvice = `the control plane may not write it: ${writerAdvice}`;
  readonly #client: KubeClient;
  readonly #rights: WriteRights;
  readonly #namespaces: readonly string[] | undefined;

  /** `namespaces`: those that may be listed; all when left out. */
  constructor(client: KubeClient, namespaces?: readonly string[]) {
    this.#client = client;
    this.#namespaces = namespaces;
    this.#rights = new WriteRights({ client, namespaces });
    // So that the first who asks is answered.
    void this.#rights.look();
  }

  readonly writableKinds = (): ReadonlySet<string> => this.#rights.kinds;

  async list(filter: Partial<ResourceRef>): Promise<readonly StoredResource[]> {
    const wanted = managedKinds.filter((kind) => (filter.kind ?? kind) === kind);
    const lists = await Promise.all(wanted.map((kind) => this.#listKind(kind, filter)));
    return lists.flat();
  }

  async find(ref: ResourceRef): Promise<StoredResource | undefined> {
    try {
      return stored(ref.kind, await this.#client.get(ref.kind, ref));
    } catch (error) {
      if (error instanceof KubeError && error.code === 'not-found' && !isKindMissing(error)) return undefined;
      throw clusterError(error, ref);
    }
  }

  async apply(
    { ref, version, object }: Manifest,
    { dryRun, force }: WriteOptions & { readonly force: boolean },
  ): Promise<WriteResult> {
    const before = await this.find(ref);
    const { status, after } = await this.#write(ref, {
      method: 'PATCH',
      path: resourcePath({ ...ref.kind, version }, ref.namespace, ref.name),
      query: { ...writeQuery(dryRun), force },
      body: JSON.stringify(object),
      contentType: 'application/apply-patch+yaml',
    });
    if (status === 201) return { operation: 'created', after };
    return { operation: sameVersion(before, after) ? 'unchanged' : 'updated', before, after };
  }

  async replace(manifest: Manifest, { dryRun }: WriteOptions): Promise<WriteResult> {
    const { ref, version, object } = manifest;
    for (let tried = 1; ; tried += 1) {
      const before = await this.#get(ref);
      const metadata = { resourceVersion: before.object.metadata.resourceVersion, ...object.metadata };
      try {
        const { after } = await this.#write(ref, {
          method: 'PUT',
          path: resourcePath({ ...ref.kind, version }, ref.namespace, ref.name),
          query: writeQuery(dryRun),
          body: JSON.stringify({ ...object, metadata }),
        });
        return { operation: sameVersion(before, after) ? 'unchanged' : 'updated', before, after };
      } catch (error) {
        // Who names no version wants the last word, whatever was written in between.
        const overtaken = error instanceof HttpError && error.code === 'resource_conflict';
        if (!overtaken || object.metadata.resourceVersion !== undefined || tried >= replaceTries) throw error;
      }
    }
  }

  async remove(ref: ResourceRef, { dryRun }: WriteOptions): Promise<WriteResult> {
    const after = await this.#get(ref);
    const { uid, deletionTimestamp } = after.object.metadata;
    if (deletionTimestamp !== undefined)
      throw new HttpError('resource_conflict', `${refText(ref)} is already being deleted`);
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      // The object that the answer shows is the one that goes, and no other of its name.
      preconditions: { uid },
      ...(dryRun && { dryRun: ['All'] }),
    });
    try {
      await this.#client.json({ method: 'DELETE', path: resourcePath(ref.kind, ref.namespace, ref.name), body });
    } catch (error) {
      throw clusterError(error, ref);
    }
    return { operation: 'deleted', after };
  }

  /** The objects of one kind; none when it is not installed. */
  async #listKind(kind: Kind, { namespace, name }: Partial<ResourceRef>): Promise<readonly StoredResource[]> {
    const possible = [namespace, name].every((text) => text === undefined || isName(text));
    if (!possible || (namespace !== undefined && !kind.namespaced)) return [];
    const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
    try {
      const lists = this.#placesOf(kind, namespace).map((place) =>
        this.#client.list(kind, { namespace: place, fieldSelector }),
      );
      return (await Promise.all(lists)).flat().map((object) => stored(kind, object));
    } catch (error) {
      if (isKindMissing(error)) return [];
      throw clusterError(error, { kind, namespace, name: name ?? '*' });
    }
  }

  /** Where to list: undefined is the whole cluster. */
  #placesOf({ namespaced }: Kind, namespace: string | undefined): readonly (string | undefined)[] {
    if (this.#namespaces === undefined || !namespaced) return [namespace];
    return this.#namespaces.filter((place) => namespace === undefined || namespace === place);
  }

  async #get(ref: ResourceRef): Promise<StoredResource> {
    const found = await this.find(ref);
    if (found === undefined) throw notFound(ref);
    return found;
  }

  async #write(
    ref: ResourceRef,
    request: KubeRequest,
  ): Promise<{ readonly status: number; readonly after: StoredResource }> {
    try {
      const { status, body } = await this.#client.answer<KubernetesObject>(request);
      return { status, after: stored(ref.kind, body) };
    } catch (error) {
      throw clusterError(error, ref);
    }
  }
}

/** Strict: a field that the schema does not have is a typing error, and would be dropped silently. */
const writeQuery = (dryRun: boolean): NonNullable<KubeRequest['query']> => ({
  fieldManager,
  fieldValidation: 'Strict',
  ...(dryRun && { dryRun: 'All' }),
});

/** Items of lists do not say what they are. */
function stored(kind: Kind & ResourceType, raw: KubernetesObject): StoredResource {
  const { metadata, ...body } = raw;
  const { managedFields = [], ...kept } = metadata as typeof metadata & {
    managedFields?: readonly { manager?: string }[];
  };
  const managed = managedFields.some(({ manager }) => manager === fieldManager);
  return {
    kind,
    managed,
    object: { ...body, apiVersion: raw.apiVersion ?? apiVersionOf(kind), kind: kind.name, metadata: kept },
  };
}

/** A dry run leaves the version as it is, so the content counts. */
function sameVersion(before: StoredResource | undefined, after: StoredResource): boolean {
  if (before === undefined) return false;
  const content = ({ object }: StoredResource) => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: '', generation: 0 },
  });
  return before.managed === after.managed && isDeepStrictEqual(content(before), content(after));
}
