import { readFile, stat } from 'node:fs/promises';
import type { KubernetesObject } from '../../gateway-api/index.ts';
import type { ResourceEvent } from '../source.ts';
import { readContent } from './file-content.ts';
import { ObjectStore } from './object-store.ts';
import { findManifestFiles } from './tree.ts';
import type { ObjectValidator } from './validate/index.ts';

/** The valid objects of some files. */
export interface ObjectsRead {
  /** As the files have them, with defaults. */
  readonly written: readonly KubernetesObject[];
  /** As a source that reads the files together would report them: with ages, versions and the namespaces they are in. */
  readonly events: readonly ResourceEvent[];
}

/** What is wrong with others `validatePaths` says. Rejects with the file system's error for a path that cannot be read. */
export async function readObjects(paths: readonly string[], validator: ObjectValidator): Promise<ObjectsRead> {
  const written: KubernetesObject[] = [];
  const events: ResourceEvent[] = [];
  const store = new ObjectStore((event) => events.push(event));
  let youngestMs = 0;
  for (const path of paths) {
    for (const file of await findManifestFiles(path)) {
      const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
      youngestMs = Math.max(youngestMs, mtimeMs);
      const { entries } = readContent(file, text, validator, () => undefined);
      store.setFile(file, entries);
      for (const { object } of entries.values()) written.push(object);
    }
  }
  store.commit(new Date(youngestMs || Date.now()));
  return { written, events };
}
