import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../../../scripts/paths.mjs';
import { type KindName, kinds } from '../../../src/gateway-api/index.ts';
import { readGolden } from '../golden/load.ts';
import type { AnyObject } from '../world.ts';

/** Objects that belong together: of one golden, or of one example. */
export interface Scene {
  readonly name: string;
  readonly objects: readonly AnyObject[];
}

const goldens = join(root, 'test/golden/resources');
const examples = join(root, 'examples');

/** What goldens and examples are made of: every kind, with every field that has a meaning. Sorted, so that a seed means the same everywhere. */
export function readCorpus(): readonly Scene[] {
  const ofGoldens = yamlsOf(goldens).map((file) => ({
    name: file,
    objects: objectsIn(readGolden(join(goldens, file)).input),
  }));
  const ofExamples = readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({
      name,
      objects: yamlsOf(join(examples, name)).flatMap((file) =>
        objectsIn(readFileSync(join(examples, name, file), 'utf8')),
      ),
    }));
  return [...ofGoldens, ...ofExamples].filter(({ objects }) => objects.length > 0);
}

const yamlsOf = (directory: string): string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .sort();

const objectsIn = (text: string): AnyObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as AnyObject | null)
    .filter((object) => object !== null)
    .filter(({ kind }) => (kind as KindName) in kinds);
