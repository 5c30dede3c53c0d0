import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { jsonCrdDir, ownCrdDir } from '../../../scripts/paths.mjs';
import { type KindName, kinds, kindsRead, type ObjectByKind } from '../../../src/gateway-api/index.ts';
import { validatorOf } from '../validator.ts';
import type { AnyObject } from '../world.ts';

const marker = '\n# output\n';

/** A golden file: what goes in, and what is expected to come out. */
export interface Golden {
  readonly input: string;
  readonly output: string;
}

export function readGolden(file: string): Golden {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(marker);
  return at < 0 ? { input: text, output: '' } : { input: text.slice(0, at), output: text.slice(at + marker.length) };
}

export const writeGolden = ({ input }: Golden, output: string): string => `${input.trimEnd()}\n${marker}${output}`;

/** The objects of a YAML text as the API server would store them, defaults filled in. Throws for what it would reject. */
export async function objectsOf(...texts: readonly string[]): Promise<AnyObject[]> {
  const judge = await validatorOf([jsonCrdDir(), ownCrdDir], kindsRead('envoyPatches'));
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as ObjectByKind[KindName] | null)
    .flatMap((object, index) => {
      if (object === null) return [];
      const verdict = judge.validate(object);
      if (verdict.result !== 'valid') throw new Error(`document ${index}: ${JSON.stringify(verdict)}`);
      return stored(verdict.object as AnyObject, object, index);
    });
}

/** What the API server adds. Order of writing is order of age, so that ties are resolved as a reader expects. */
function stored(object: AnyObject, written: AnyObject, index: number): AnyObject {
  const created = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace('.000', '');
  const { namespaced } = kinds[object.kind as KindName];
  const metadata = {
    generation: 1,
    creationTimestamp: created,
    ...object.metadata,
    ...(namespaced && { namespace: object.metadata.namespace ?? 'default' }),
  };
  const { data } = written as ObjectByKind['Secret'];
  return { ...object, metadata, ...(data && { data }) } as AnyObject;
}
