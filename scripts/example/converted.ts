import { join } from 'node:path';
import { type Document, parseAllDocuments } from 'yaml';
import { convert, judge, readWorldFiles } from '../../src/ingress/index.ts';
import { readManifests } from './manifests.ts';

/** Kinds of the old world: what is made of them takes their place. */
const old: ReadonlySet<string> = new Set(['Ingress', 'IngressClass', 'Deployment']);

/** What the Ingresses of a folder are converted to, as `gatewright migrate convert` does, with the other objects of the folder. */
export async function convertedManifests(directory: string, folder: string): Promise<Document[]> {
  const { world } = await readWorldFiles([directory, join(directory, folder)], {});
  const { files } = convert(judge(world), {
    gateway: { namespace: 'default', name: 'edge' },
    gatewayClass: 'gatewright',
    httpPort: 8080,
    httpsPort: 8443,
    includeDead: false,
    without: new Set(),
  });
  const made = [...files.values()].flatMap((text) => parseAllDocuments(text) as Document[]);
  const kept = readManifests(join(directory, folder)).filter((document) => !old.has(String(document.get('kind'))));
  return [...made, ...kept];
}
