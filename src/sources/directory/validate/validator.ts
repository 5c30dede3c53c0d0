import {
  apiVersionOf,
  type Kind,
  type KubernetesObject,
  kinds,
  kindsRead,
  parseApiVersion,
} from '../../../gateway-api/index.ts';
import { didYouMean } from '../../../std/index.ts';
import { CelRules } from './cel-rules.ts';
import { closerFor } from './closer.ts';
import { checkCoreKind } from './core-kinds.ts';
import { withDefaults } from './defaults.ts';
import { Definitions } from './definitions.ts';
import { explainField } from './explain-field.ts';
import { JsonSchemas } from './json-schema.ts';
import { duplicateItems } from './list-types.ts';
import { metadataSchema } from './metadata-schema.ts';
import { oversized } from './oversized.ts';
import { type Cause, isRecord, pathText, type StructuralSchema } from './schema.ts';
import { unknownFields } from './unknown-fields.ts';

/** What a value from a file turned out to be. */
export type Verdict =
  /** Valid, with defaults filled in, at the version that we read. */
  | { readonly result: 'valid'; readonly kind: Kind; readonly object: KubernetesObject }
  /** Kind, namespace and name are known; the object is wrong. */
  | {
      readonly result: 'invalid';
      readonly kind: Kind;
      readonly id: ObjectId;
      readonly causes: readonly Cause[];
      /** What closes its targets, see closerFor. */
      readonly closer?: KubernetesObject;
    }
  /** Not even known which object it is. */
  | { readonly result: 'unidentified'; readonly causes: readonly Cause[] }
  /**
   * A kind that is none of ours to read; `causes` says why that may surprise, and is empty when it should not. `isUnknown`: the group is known
   * and has no such kind, so that an API server would reject the object.
   */
  | { readonly result: 'ignored'; readonly causes: readonly Cause[]; readonly isUnknown?: true };

export interface ObjectId {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What is made of definitions when it is first needed. */
interface Compiled {
  readonly schemas: JsonSchemas;
  readonly rules: CelRules;
}

/** The kind of a live object that transition rules compare with. */
export type FindOld = (kind: Kind, id: ObjectId) => KubernetesObject | undefined;

/** Groups in which an unknown kind is more likely a mistake than another controller's. */
const ownGroups = /(^|\.)(gateway\.networking(\.x)?\.k8s\.io|gateway\.networking\.x-k8s\.io|gatewright\.dev)$/;

/**
 * Judges objects as the API server would on `kubectl apply --validate=strict`: the definitions' schemas, list rules and CEL rules for the
 * Gateway API, and the rules of the core kinds for the part of them that is read. Pure, but for what it compiles and keeps.
 */
export class ObjectValidator {
  readonly #definitions: Definitions;
  /** Where the definitions are from, for a caller that makes a second validator; undefined when they are from elsewhere. */
  readonly directories: readonly string[] | undefined;
  readonly #compiled: Compiled;
  /** The kinds that are read; others are ignored. */
  readonly kinds: readonly Kind[];

  constructor(
    definitions: Definitions,
    read: readonly Kind[] = kindsRead(),
    directories?: readonly string[],
    compiled: Compiled = { schemas: new JsonSchemas(), rules: new CelRules() },
  ) {
    this.#definitions = definitions;
    this.#compiled = compiled;
    this.kinds = read;
    this.directories = directories;
  }

  /**
   * A validator with the CustomResourceDefinitions of some directories. Throws DefinitionError when one cannot be read. Reads every kind of
   * `gateway-api` that needs no switch when no kinds are given.
   */
  static async load(directories: readonly string[], read?: readonly Kind[]): Promise<ObjectValidator> {
    return new ObjectValidator(await Definitions.load(directories), read, directories);
  }

  /** One that reads other kinds by the same definitions. What either of them compiles is there for both, for that is most of its cost. */
  reading(kinds: readonly Kind[]): ObjectValidator {
    return new ObjectValidator(this.#definitions, kinds, this.directories, this.#compiled);
  }

  /** What objects of the kind may hold, as its definition has it in the version that is read; undefined without a definition. */
  schemaOf({ group, name, version }: Kind): StructuralSchema | undefined {
    return this.#definitions.find(group, name)?.versions.get(version);
  }

  /** Whether objects of the kind can be judged: a core kind, or one whose definition is there. */
  knows(kind: Kind): boolean {
    return checkCoreKind(kind.name, {}) !== undefined || this.#definitions.find(kind.group, kind.name) !== undefined;
  }

  /**
   * The object that a value would take the place of, if the rules of its kind compare with that; undefined for others, which are most.
   */
  comparedWith(value: unknown): (ObjectId & { readonly kind: Kind }) | undefined {
    if (!isRecord(value)) return undefined;
    const { group, version } = parseApiVersion(String(value.apiVersion));
    const kind = this.kinds.find((known) => known.group === group && known.name === value.kind);
    const schema = kind && this.#definitions.find(group, kind.name)?.versions.get(version);
    if (kind === undefined || schema === undefined || !this.#compiled.rules.compare(schema)) return undefined;
    const id = identify(kind, isRecord(value.metadata) ? value.metadata : undefined);
    return id && { kind, ...id };
  }

  /** The first sentence of what the definition says about a field; undefined when it says nothing, and for core kinds. */
  explain(kind: Kind, version: string, path: Cause['path']): string | undefined {
    const schema = this.#definitions.find(kind.group, kind.name)?.versions.get(version);
    return schema === undefined ? undefined : explainField(schema, path);
  }

  validate(value: unknown, findOld: FindOld = () => undefined): Verdict {
    if (!isRecord(value)) return unidentified([], 'is not an object with apiVersion, kind and metadata');
    const { apiVersion, kind: kindName } = value;
    if (typeof apiVersion !== 'string' || apiVersion === '')
      return unidentified(['apiVersion'], 'apiVersion is missing: not a Kubernetes object');
    if (typeof kindName !== 'string' || kindName === '')
      return unidentified(['kind'], 'kind is missing: not a Kubernetes object');
    const { group, version } = parseApiVersion(apiVersion);
    const kind = this.kinds.find((known) => known.group === group && known.name === kindName);
    if (kind === undefined) return this.#ignored(group, kindName);
    return this.#judge(kind, version, value, findOld);
  }

  #ignored(group: string, kindName: string): Verdict {
    if (!ownGroups.test(group)) return { result: 'ignored', causes: this.#surprises(group, kindName) };
    const defined = this.#definitions.find(group, kindName) !== undefined;
    const names = [
      ...this.kinds.filter((known) => known.group === group).map((known) => known.name),
      ...this.#definitions.kindsOf(group),
    ];
    const switchedOff = Object.values<Kind>(kinds).find(({ name, optIn }) => name === kindName && optIn)?.optIn;
    const message = defined
      ? `${kindName} is ${switchedOff ? `not read and is ignored: set ${switchedOff}.enabled` : 'not supported and is ignored'}`
      : `unknown kind ${kindName} of ${group} is ignored${didYouMean(kindName, names)}`;
    const isUnknown = !defined && names.length > 0;
    return { result: 'ignored', causes: [{ path: ['kind'], message }], ...(isUnknown && { isUnknown }) };
  }

  /** Objects of other controllers lie in the same directories; these are likely to be expected to be served. */
  #surprises(group: string, kindName: string): readonly Cause[] {
    if (kindName === 'Ingress' && ['networking.k8s.io', 'extensions'].includes(group))
      return [
        {
          path: ['kind'],
          message: 'Ingress is not read and is ignored: set ingress.enabled, or write a Gateway and an HTTPRoute',
        },
      ];
    const groups = [...new Set(this.kinds.map((known) => known.group).filter((known) => known.includes('.')))];
    const near = this.kinds.some((known) => known.name === kindName) ? didYouMean(group, groups) : '';
    return near === '' ? [] : [{ path: ['apiVersion'], message: `${kindName} of group ${group} is ignored${near}` }];
  }

  #judge(kind: Kind, version: string, value: Record<string, unknown>, findOld: FindOld): Verdict {
    // As on create, what only the server or a controller writes is not taken from the file; but no kubelet writes for a
    // Pod in a file.
    const { status, ...rest } = value;
    const written: Record<string, unknown> = kind.name === 'Pod' && status !== undefined ? { ...rest, status } : rest;
    const metadata = isRecord(written.metadata) ? { ...written.metadata } : undefined;
    const id = identify(kind, metadata);
    if (metadata === undefined || id === undefined) {
      return unidentified(['metadata', 'name'], 'metadata.name is missing');
    }
    if (kind.namespaced) metadata.namespace ??= 'default';
    const candidate = { ...written, metadata };
    const checked = this.#check(kind, version, candidate, () => findOld(kind, id));
    const causes = firstOf([...scopeCauses(kind, metadata), ...checked.causes]);
    if (causes.length > 0) return { result: 'invalid', kind, id, causes, ...this.#closer(kind, id, candidate, causes) };
    const object = { ...(checked.object as KubernetesObject), apiVersion: apiVersionOf(kind), kind: kind.name };
    return { result: 'valid', kind, object };
  }

  #closer(kind: Kind, id: ObjectId, written: Record<string, unknown>, [first]: readonly Cause[]) {
    const why = first ? [pathText(first.path), first.message].filter(Boolean).join(': ') : '';
    const closer = closerFor(
      { kind, id, written, why },
      (object) => this.#check(kind, kind.version, { ...object }, () => undefined).causes.length === 0,
    );
    return closer && { closer };
  }

  #check(kind: Kind, version: string, candidate: Record<string, unknown>, old: () => unknown): Checked {
    const { metadata, ...body } = candidate;
    const core = checkCoreKind(kind.name, body, largestCauses + 1);
    if (core === undefined) return this.#checkDefined(kind, version, candidate, old);
    if (version !== kind.version) return wrongVersion(version, [kind.version]);
    const causes = [...this.#metadata(metadata), ...('causes' in core ? core.causes : [])];
    return { causes, object: 'body' in core ? { ...core.body, metadata } : undefined };
  }

  #metadata(metadata: unknown): Cause[] {
    return this.#structure(metadataSchema, metadata).map(({ path, message }) => ({
      path: ['metadata', ...path],
      message,
    }));
  }

  #checkDefined(kind: Kind, version: string, candidate: Record<string, unknown>, old: () => unknown): Checked {
    const definition = this.#definitions.find(kind.group, kind.name);
    if (definition === undefined)
      return { causes: [{ path: ['kind'], message: `no definition of ${kind.name} is installed` }] };
    const schema = definition.versions.get(version);
    if (schema === undefined) return wrongVersion(version, [...definition.versions.keys()]);
    const tooLarge = [...oversized(schema, candidate).take(largestCauses + 1)];
    if (tooLarge.length > 0) return { causes: tooLarge };
    const unknown = [...unknownFields(schema, candidate).take(largestCauses + 1)];
    const object = withDefaults(schema, candidate);
    const causes = [...unknown, ...this.#structure(schema, object, false)];
    // A rule may rely on types and sizes, so it is not asked about a value that breaks them.
    const broken = causes.length > unknown.length;
    return { causes: broken ? causes : [...causes, ...this.#compiled.rules.check(schema, object, old())], object };
  }

  #structure(schema: StructuralSchema, value: unknown, strict = true): Cause[] {
    const causes = [
      ...(strict ? unknownFields(schema, value).take(largestCauses + 1) : []),
      ...this.#compiled.schemas.check(schema, value, largestCauses + 1),
    ];
    return causes.length > 0 ? causes : duplicateItems(schema, value);
  }
}

/** The causes that are reported of one object, at most. */
export const largestCauses = 100;

function firstOf(causes: readonly Cause[]): readonly Cause[] {
  const last = causes[largestCauses - 1];
  if (causes.length <= largestCauses || last === undefined) return causes;
  return [...causes.slice(0, largestCauses - 1), { ...last, message: `${last.message} (and there is more wrong)` }];
}

interface Checked {
  readonly causes: readonly Cause[];
  readonly object?: unknown;
}

const unidentified = (path: Cause['path'], message: string): Verdict => ({
  result: 'unidentified',
  causes: [{ path, message }],
});

const wrongVersion = (version: string, known: readonly string[]): Checked => ({
  causes: [{ path: ['apiVersion'], message: `version ${version} is not known; use ${known.join(' or ')}` }],
});

function identify(kind: Kind, metadata: Record<string, unknown> | undefined): ObjectId | undefined {
  const { name, namespace } = metadata ?? {};
  if (typeof name !== 'string' || name === '') return undefined;
  if (!kind.namespaced) return { name, namespace: undefined };
  return { name, namespace: typeof namespace === 'string' ? namespace : 'default' };
}

function scopeCauses(kind: Kind, metadata: Record<string, unknown>): Cause[] {
  if (kind.namespaced || metadata.namespace === undefined) return [];
  return [{ path: ['metadata', 'namespace'], message: `${kind.name} has no namespace` }];
}
