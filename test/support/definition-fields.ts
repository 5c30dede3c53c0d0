import { readDefinitions, type Schema } from '../../scripts/generate/definitions.ts';
import { crdDir, ownCrdDir } from '../../scripts/paths.mjs';
import { kinds } from '../../src/gateway-api/index.ts';

/** Fields of definitions, written `KIND.spec.FIELD`, where `FIELD[]` is the entry of a list. */

const schemas = new Map(
  [ownCrdDir, crdDir('experimental')]
    .flatMap(readDefinitions)
    .filter(({ kind }) => Object.hasOwn(kinds, kind))
    .map(({ kind, schema }) => [kind, schema]),
);

/** What a definition says of a field; undefined: it has none of this name, or its kind is not read. */
export function schemaOf(path: string): Schema | undefined {
  const [kind = '', ...members] = path.split('.');
  return members.reduce<Schema | undefined>(memberOf, schemas.get(kind));
}

function memberOf(schema: Schema | undefined, member: string): Schema | undefined {
  const name = nameOf(member);
  const found = schema?.properties?.[name];
  return name === member ? found : found?.items;
}

/** The name of the last member of a path. */
export const nameOf = (path: string): string => (path.split('.').at(-1) ?? '').replace(/\[\]$/, '');

/** The field, and all that are below it. */
export const fieldsFrom = (path: string): readonly string[] => [path, ...below(path, schemaOf(path))];

function below(path: string, schema: Schema | undefined): string[] {
  if (schema?.items) return below(path.endsWith('[]') ? path : `${path}[]`, schema.items);
  return Object.entries(schema?.properties ?? {}).flatMap(([name, member]) => [
    `${path}.${name}`,
    ...below(`${path}.${name}`, member),
  ]);
}
