import { type Definition, readDefinitions, type Schema } from '../../scripts/generate/definitions.ts';
import { crdDir, inferenceCrdDir, ownCrdDir } from '../../scripts/paths.mjs';
import { apiVersionOf, type KindName, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';

/** What all references of a sample name. */
export interface Named {
  readonly kind: KindName;
  readonly name: string;
}

/** Fields whose values decide whether others count. */
const telling: Readonly<Record<string, string>> = { from: 'Selector', protocol: 'HTTPS', hostname: 'example.com' };

/** An object in namespace `own` that uses every field of its definition; its references lead to namespace `other` where they may. */
export function sampleOf({ kind, namespaced, schema }: Definition, name: string, named: Named): KubernetesObject {
  const { spec } = schema.properties ?? {};
  return {
    apiVersion: apiVersionOf(kinds[kind as KindName]),
    kind,
    metadata: { name, ...(namespaced && { namespace: 'own' }), generation: 1 },
    spec: sampleValue('spec', spec ?? {}, named),
  };
}

function sampleValue(field: string, schema: Schema, named: Named): unknown {
  const { type, properties, items, additionalProperties } = schema;
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, sampleValue(key, each, named)]));
  if (items) return [sampleValue(field, items, named)];
  if (type === 'object' || additionalProperties) return {};
  if (type === 'boolean') return true;
  if (type === 'integer' || schema['x-kubernetes-int-or-string']) return (schema.minimum as number | undefined) ?? 80;
  return textOf(field, schema, named);
}

function textOf(field: string, schema: Schema, { kind, name }: Named): string {
  if (field === 'kind') return kind;
  if (field === 'group') return kinds[kind].group;
  if (field === 'name' || field === 'gatewayClassName') return name;
  if (field === 'namespace') return 'other';
  const [first] = (schema.enum as string[] | undefined) ?? [];
  return telling[field] ?? first ?? 'x';
}

/** The definitions of all kinds that are read, but for Kubernetes' own. */
export const definitionsRead = (): Definition[] =>
  [crdDir('experimental'), inferenceCrdDir(), ownCrdDir].flatMap(readDefinitions).filter(({ kind }) => kind in kinds);
