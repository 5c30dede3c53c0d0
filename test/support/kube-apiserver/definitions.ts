import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdDir, ownCrdDir } from '../../../scripts/paths.mjs';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { objectsOf } from '../manifests.ts';

/**
 * @param isWanted by a file's name; a definition is in `GROUP_PLURAL.yaml`, and a channel takes long to parse
 * @param version of the Gateway API
 */
export async function readCrds(
  channel: 'standard' | 'experimental' | 'own',
  isWanted: (file: string) => boolean = () => true,
  version?: string,
): Promise<KubernetesObject[]> {
  const directory = channel === 'own' ? ownCrdDir : crdDir(channel, version);
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml') && isWanted(name)).sort();
  const objects = await Promise.all(files.map((name) => objectsIn(join(directory, name))));
  return objects.flat().filter(({ kind }) => kind === 'CustomResourceDefinition');
}

const parsed = new Map<string, Promise<readonly KubernetesObject[]>>();

/** Files of a process that share an API server each install them again. */
function objectsIn(path: string): Promise<readonly KubernetesObject[]> {
  const objects = parsed.get(path) ?? readFile(path, 'utf8').then((text) => objectsOf(text).map(withoutDescriptions));
  parsed.set(path, objects);
  return objects;
}

/** Two thirds of a definition are descriptions, which the API server reads, keeps and publishes and no test needs. */
const withoutDescriptions = <T>(definition: T): T =>
  JSON.parse(
    JSON.stringify(definition, (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  ) as T;
