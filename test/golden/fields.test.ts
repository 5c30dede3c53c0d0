import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { fieldsFrom } from '../support/definition-fields.ts';
import { readGolden } from '../support/golden/load.ts';

/** Each field of what may be said of requests on their way is in a golden, so that its result is seen, and taken by a real Envoy. */

const kinds = [
  'AccessPolicy',
  'BackendPolicy',
  'EnvoyPatch',
  'ExtensionPolicy',
  'HTTPFilter',
  'ListenerPolicy',
  'RateLimitPolicy',
  'TrafficPolicy',
];

/** Fields with objects of any form. */
const open = new Set([
  'ExtensionPolicy.spec.wasm.config',
  ...['cluster', 'connectionManager', 'httpProtocolOptions', 'listener', 'routeAction'].map(
    (part) => `EnvoyPatch.spec.${part}`,
  ),
]);

const directory = fileURLToPath(new URL('resources/', import.meta.url));

/** The fields that a value has, as `fieldsFrom` writes them. */
function fieldsOf(path: string, value: unknown): readonly string[] {
  if (open.has(path) || typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return [path, ...value.flatMap((entry) => fieldsOf(`${path}[]`, entry))];
  return [path, ...Object.entries(value).flatMap(([name, member]) => fieldsOf(`${path}.${name}`, member))];
}

test('each field of these kinds is set in a golden', (t) => {
  const objects = readdirSync(directory)
    .flatMap((file) => parseAllDocuments(readGolden(directory + file).input))
    .map((document) => document.toJS() as { readonly kind?: string; readonly spec?: unknown } | null);
  const set = new Set(objects.flatMap((object) => fieldsOf(`${object?.kind}.spec`, object?.spec)));
  t.deepEqual(
    kinds.flatMap((kind) => fieldsFrom(`${kind}.spec`)).filter((field) => !set.has(field)),
    [],
  );
});
