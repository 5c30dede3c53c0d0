import { readFile } from 'node:fs/promises';
import { KubeClient, KubeError, type ResourceType } from '../../kube/index.ts';
import { findManifestFiles, parseManifests } from '../../sources/index.ts';
import { groupOf, type SourceObject, SourceObjects, sourceObjectOf } from './objects.ts';

/** What was read, and in words what could not be. */
export interface SourceRead {
  readonly objects: SourceObjects;
  readonly unread: readonly string[];
}

/** A kind and where the API server keeps it: of each group the first version that it serves. */
export interface SourceKind {
  readonly kind: string;
  readonly types: readonly ResourceType[];
}

/** The objects of some kinds in YAML and JSON files. Rejects with the file system's error for a path that cannot be read. */
export async function readSourceFiles(paths: readonly string[], kinds: readonly SourceKind[]): Promise<SourceRead> {
  const isMeant = (object: SourceObject) =>
    kinds.some(({ kind, types }) => kind === object.kind && types.some(({ group }) => group === groupOf(object)));
  const objects = new SourceObjects();
  const unread: string[] = [];
  const files = new Set<string>();
  for (const path of paths) for (const file of await findManifestFiles(path)) files.add(file);
  for (const file of files) {
    const { manifests, errors } = parseManifests(await readFile(file, 'utf8'));
    for (const { line, column, message } of errors) unread.push(`${file}:${line}:${column}: ${message}`);
    for (const { value, locate } of manifests) {
      const object = sourceObjectOf(value);
      if (object !== undefined) isMeant(object) && objects.add(object);
      else unread.push(`${file}:${locate([]).line}: it is no object with a kind and a name`);
    }
  }
  return { objects, unread };
}

/**
 * The objects of some kinds of a cluster. A kind that is not installed has none; one that the user may not list is unread. Rejects with a
 * KubeError when the API server cannot be reached or knows no such user.
 */
export async function readSourceCluster(
  config: ConstructorParameters<typeof KubeClient>[0],
  kinds: readonly SourceKind[],
): Promise<SourceRead> {
  const client = new KubeClient(config);
  const objects = new SourceObjects();
  const unread: string[] = [];
  // Of two objects with one name that of the first group counts.
  for (const { kind, types } of kinds)
    for (const versions of [...Map.groupBy(types, ({ group }) => group).values()].toReversed())
      for (const type of versions) {
        const found = await listOf(client, kind, type, unread);
        if (found === undefined) continue;
        for (const item of found) {
          const { group, version } = type;
          const object = sourceObjectOf({ ...item, kind, apiVersion: group === '' ? version : `${group}/${version}` });
          if (object !== undefined) objects.add(object);
        }
        break;
      }
  return { objects, unread };
}

/** Undefined: the API server does not serve the kind in this version, or not to this user. */
async function listOf(client: KubeClient, kind: string, type: ResourceType, unread: string[]) {
  try {
    return await client.list(type);
  } catch (error) {
    if (!(error instanceof KubeError) || (error.code !== 'forbidden' && error.code !== 'not-found')) throw error;
    if (error.code === 'forbidden') unread.push(`may not list ${kind}: ${error.message}`);
    return undefined;
  }
}
