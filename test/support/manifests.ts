import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';

/** What texts hold: charts, manifests and definitions are asked for again and again, and to parse them takes longer than most tests. */
const parsed = new Map<string, readonly KubernetesObject[]>();

/** Every object of a stream of YAML documents, as copies of the caller's own. */
export function objectsOf(text: string): KubernetesObject[] {
  const objects = parsed.get(text) ?? parseObjects(text);
  parsed.set(text, objects);
  return structuredClone(objects) as KubernetesObject[];
}

const parseObjects = (text: string): KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as KubernetesObject | null;
    })
    .filter((object) => object !== null);
