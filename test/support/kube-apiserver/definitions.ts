import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdDir, ownCrdDir } from '../../../scripts/paths.mjs';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { objectsOf } from '../manifests.ts';

/** @param isWanted by a file's name; a definition is in `GROUP_PLURAL.yaml`, and a channel takes long to parse */
export async function readCrds(
  channel: 'standard' | 'experimental' | 'own',
  isWanted: (file: string) => boolean = () => true,
): Promise<KubernetesObject[]> {
  const directory = channel === 'own' ? ownCrdDir : crdDir(channel);
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml') && isWanted(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')));
  return texts.flatMap(objectsOf).filter(({ kind }) => kind === 'CustomResourceDefinition');
}
