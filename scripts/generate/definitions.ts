import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/**
 * Group to the version that is read, which need not be the one that the API server stores: a ReferenceGrant's is `v1beta1`. Kinds of the
 * second group have no standard form yet.
 */
const versionsRead: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': 'v1',
  'gateway.networking.x-k8s.io': 'v1alpha1',
  'inference.networking.k8s.io': 'v1',
  'gatewright.dev': 'v1alpha1',
};

export interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  required?: string[];
  tsType?: string;
  [keyword: string]: unknown;
}

/** A kind as its CustomResourceDefinition has it, in the version that is read. */
export interface Definition {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly schema: Schema;
}

interface DefinitionObject {
  readonly kind: string;
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The definitions of the Gateway API's groups and ours in a folder. Throws where there is none. */
export function readDefinitions(crdDir: string): Definition[] {
  const definitions = readdirSync(crdDir)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(crdDir, file), 'utf8')))
    .flatMap((document) => (document.toJS() as DefinitionObject | null) ?? [])
    .filter(isRead)
    .map(definitionOf);
  if (definitions.length === 0) throw new Error(`no definitions of kinds that are read in ${crdDir}`);
  return definitions;
}

const isRead = ({ kind, spec }: DefinitionObject): boolean =>
  kind === 'CustomResourceDefinition' && versionsRead[spec.group] !== undefined;

function definitionOf({ spec: { group, scope, names, versions } }: DefinitionObject): Definition {
  const { kind, plural, shortNames = [] } = names;
  const version = versions.find(({ name }) => name === versionsRead[group]);
  if (!version) throw new Error(`${kind} has no version ${versionsRead[group]}`);
  const schema = version.schema.openAPIV3Schema;
  return { kind, group, version: version.name, plural, namespaced: scope === 'Namespaced', shortNames, schema };
}
