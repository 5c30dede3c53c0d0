import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kind, KubernetesObject, Metadata } from '../../../gateway-api/index.ts';
import {
  type DirectorySource,
  type LiveDirectory,
  ManifestReader,
  type ObjectValidator,
  type Place,
  pathText,
} from '../../../sources/index.ts';
import { HttpError } from '../../http/index.ts';
import { managedKinds } from '../managed-kinds.ts';
import { notFound, refText } from '../manifest.ts';
import type {
  Manifest,
  ResourceRef,
  ResourceStore,
  StoredResource,
  WriteOptions,
  WriteResult,
} from '../resource-store.ts';
import { directoryError } from './directory-error.ts';
import { removeDurably, writeDurably } from './durable-file.ts';
import { fileNameOf, isOwnFile } from './file-name.ts';
import { type FileWithObject, findObject, readText } from './find-object.ts';

export interface DirectoryResourceStoreOptions {
  /** Runs on the directory that is written to. */
  readonly source: Pick<DirectorySource, 'live'>;
  /** The source's own, so that what is taken here is taken there. */
  readonly validator: ObjectValidator;
  /** Its path, to be shown. */
  readonly directory?: string;
  /** What reads and edits the files; one of its own by default. */
  readonly reader?: ManifestReader;
  readonly now?: () => Date;
}

/**
 * Managed resources in a directory of YAML, one write at a time. A write changes one document and leaves the rest of its file as it is; new
 * objects get files of their own. It resolves when the file is on the disk and the source has reported the object.
 */
export class DirectoryResourceStore implements ResourceStore {
  readonly statuses = 'computed';
  readonly directory: string | undefined;
  readonly #options: DirectoryResourceStoreOptions;
  readonly #reader: ManifestReader;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DirectoryResourceStoreOptions) {
    this.#options = options;
    this.directory = options.directory;
    this.#reader = options.reader ?? new ManifestReader({ validator: options.validator });
  }

  async list(filter: Partial<ResourceRef>): Promise<readonly StoredResource[]> {
    const live = this.#live();
    const wanted = managedKinds.filter((kind) => (filter.kind ?? kind) === kind);
    return wanted.flatMap((kind) => live.list(kind).map((object) => stored(live, kind, object)));
  }

  async find(ref: ResourceRef): Promise<StoredResource | undefined> {
    const live = this.#live();
    const object = live.find(ref.kind, ref);
    return object && stored(live, ref.kind, object);
  }

  apply(manifest: Manifest, { dryRun }: WriteOptions): Promise<WriteResult> {
    return this.#inTurn(() => this.#write(manifest, { dryRun, create: true }));
  }

  replace(manifest: Manifest, { dryRun }: WriteOptions): Promise<WriteResult> {
    return this.#inTurn(() => this.#write(manifest, { dryRun, create: false }));
  }

  remove(ref: ResourceRef, { dryRun }: WriteOptions): Promise<WriteResult> {
    return this.#inTurn(() => this.#remove(ref, dryRun));
  }

  #live(): LiveDirectory {
    const { live } = this.#options.source;
    if (live === undefined) throw new HttpError('not_ready', 'the directory has not been read yet');
    return live;
  }

  /** After the writes before it, whatever became of them. */
  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(write).catch((error: unknown) => {
      throw directoryError(error);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write({ ref, object }: Manifest, options: { dryRun: boolean; create: boolean }): Promise<WriteResult> {
    const live = this.#live();
    const { validator, now = () => new Date() } = this.#options;
    if (!validator.knows(ref.kind))
      throw new HttpError('kind_unavailable', `no definition of ${ref.kind.name} is installed`);
    const [file] = await findObject(live, ref, this.#reader);
    const before = await this.#before(live, ref, file);
    if (file === undefined && !options.create) throw notFound(ref);
    checkPreconditions(ref, object.metadata, before?.object);
    const written = writtenObject(object, file?.value);
    const preview = live.preview(ref.kind, await this.#valid(ref, written, before?.object), now());
    const after = { ...stored(live, ref.kind, preview), managed: before?.managed ?? true };
    const same = before?.onDisk === true && preview.metadata.resourceVersion === before.object.metadata.resourceVersion;
    const operation = before === undefined ? 'created' : same ? 'unchanged' : 'updated';
    if (options.dryRun || same) return { operation, before, after };
    const path = await (file === undefined ? this.#add(live, ref, written) : this.#change(file, written));
    await live.absorb([path]);
    return { operation, before, after: (await this.find(ref)) ?? after };
  }

  async #remove(ref: ResourceRef, dryRun: boolean): Promise<WriteResult> {
    const live = this.#live();
    const files = await findObject(live, ref, this.#reader);
    const after = await this.#before(live, ref, files[0]);
    if (files.length === 0 || after === undefined) throw notFound(ref);
    const result = { operation: 'deleted', after } as const;
    if (dryRun) return result;
    // The one that counts goes last: before that nothing has changed.
    for (const file of files.toReversed()) await this.#drop(live, file);
    await live.absorb(files.map(({ path }) => path));
    return result;
  }

  /** The object as it is on the disk now, or as it was when it was last valid. */
  async #before(live: LiveDirectory, { kind, ...id }: ResourceRef, file: FileWithObject | undefined) {
    if (file === undefined) return undefined;
    const { now = () => new Date() } = this.#options;
    const verdict = await this.#reader.verdict(file.value, live.find(kind, id));
    const onDisk = verdict.result === 'valid';
    const object = onDisk ? live.preview(kind, verdict.object, now()) : live.find(kind, id);
    return object && { ...stored(live, kind, object), onDisk };
  }

  /** The object with defaults. Throws a 422 with everything that is wrong. */
  async #valid(ref: ResourceRef, value: unknown, before: KubernetesObject | undefined): Promise<KubernetesObject> {
    const verdict = await this.#reader.verdict(value, before);
    if (verdict.result === 'valid') return verdict.object;
    const details = verdict.causes.map(({ path, message }) => ({ path: pathText(path), message }));
    const [first] = details;
    const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
    const message = `${refText(ref)}: ${first?.path}: ${first?.message}${more}`;
    throw new HttpError('resource_invalid', message, { details });
  }

  async #add({ root }: LiveDirectory, ref: ResourceRef, object: KubernetesObject): Promise<string> {
    if (!(await stat(root)).isDirectory()) {
      const text = await readText(root);
      const longer = await this.#reader.append(text, object);
      await checkUntouched(root, text);
      await writeDurably(root, longer);
      return root;
    }
    const written = await this.#reader.write(object);
    const path = await freePath(root, fileNameOf(ref));
    await writeDurably(path, written);
    return path;
  }

  async #change({ path, text, places }: FileWithObject, object: KubernetesObject): Promise<string> {
    const changed = await this.#reader.replace(text, places[0] as Place, object);
    await checkUntouched(path, text);
    await writeDurably(path, changed);
    return path;
  }

  async #drop({ root }: LiveDirectory, { path, text, places }: FileWithObject): Promise<void> {
    const rest = await this.#reader.remove(text, places);
    await checkUntouched(path, text);
    // The one file that a run is about has to stay, empty or not.
    if (rest.isEmpty && path !== root) await removeDurably(path);
    else await writeDurably(path, rest.text);
  }
}

function stored(live: LiveDirectory, kind: Kind, object: KubernetesObject): StoredResource {
  const ref = { kind, namespace: object.metadata.namespace, name: object.metadata.name };
  const [file] = live.filesOf(kind, ref);
  return { kind, object, managed: file !== undefined && isOwnFile(file, ref) };
}

function checkPreconditions(ref: ResourceRef, wanted: Metadata, before: KubernetesObject | undefined): void {
  const differs = (['uid', 'resourceVersion'] as const).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== before?.metadata[name],
  );
  const [name] = differs;
  if (name === undefined) return;
  const now = before === undefined ? 'there is no such object' : `it is ${before.metadata[name]} now`;
  throw new HttpError('resource_conflict', `${refText(ref)}: metadata.${name} is ${wanted[name]}, but ${now}`, {
    details: [{ path: `metadata.${name}`, message: now }],
  });
}

/** What is written to the file: nothing that the source makes up, and what the file says of itself. */
function writtenObject(object: KubernetesObject, inFile: unknown): KubernetesObject {
  const { uid: _, resourceVersion: __, ...metadata } = object.metadata;
  const old = (inFile as KubernetesObject | undefined)?.metadata;
  if (old === undefined) return { ...object, metadata };
  const { namespace, ...rest } = metadata;
  return {
    ...object,
    metadata: {
      ...rest,
      // A file that leaves it to the default goes on doing so.
      ...(old.namespace !== undefined && { namespace }),
      ...(old.creationTimestamp !== undefined && { creationTimestamp: old.creationTimestamp }),
    },
  };
}

/** The path of a file that is not there yet, by a number where another file has the name. */
async function freePath(directory: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(directory, number === 1 ? name : name.replace(/\.yaml$/, `-${number}.yaml`));
    const taken = await stat(path).then(
      () => true,
      () => false,
    );
    if (!taken) return path;
  }
}

/** Throws a 409 when another program wrote to the file since it was read. */
async function checkUntouched(path: string, text: string): Promise<void> {
  if ((await readText(path)) === text) return;
  throw new HttpError('resource_conflict', `${path} is being changed by another program`);
}
