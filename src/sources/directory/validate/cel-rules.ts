import { type CelEnv, type CelInput, type CelResult, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { kubernetesFunctions } from './cel-functions.ts';
import { celValue } from './cel-value.ts';
import { identityOf } from './list-types.ts';
import { type Cause, isRecord, memberSchema, type StructuralSchema, type ValidationRule } from './schema.ts';

type Evaluate = (bindings: Record<string, CelInput>) => CelResult;

interface CompiledRule {
  readonly source: ValidationRule;
  readonly evaluate: Evaluate;
  readonly message: Evaluate | undefined;
  /** Compares with the object before, so it says nothing about new ones. */
  readonly transition: boolean;
}

/** Evaluates the rules of `x-kubernetes-validations` as the API server does. Rules are compiled when first needed. */
export class CelRules {
  readonly #env: CelEnv = celEnv({ funcs: [...strings, ...kubernetesFunctions] });
  readonly #compiled = new Map<string, Evaluate>();
  readonly #rules = new WeakMap<StructuralSchema, readonly CompiledRule[]>();
  readonly #interesting = new WeakMap<StructuralSchema, boolean>();
  readonly #comparing = new WeakMap<StructuralSchema, boolean>();

  /**
   * Every broken rule of a value that fits its schema. `old` is the value before, where there was one. Throws for a rule that is not CEL:
   * that is a fault of the definition.
   */
  check(schema: StructuralSchema, value: unknown, old: unknown, path: Cause['path'] = []): Cause[] {
    if (value === undefined || value === null || !this.#hasRules(schema)) return [];
    return [...this.#own(schema, value, old, path), ...this.#below(schema, value, old, path)];
  }

  /** Whether any rule compares with the object before. */
  compare(schema: StructuralSchema): boolean {
    const known = this.#comparing.get(schema);
    if (known !== undefined) return known;
    const found =
      (schema['x-kubernetes-validations'] ?? []).some(({ rule }) => isTransition(rule)) ||
      innerSchemas(schema).some((inner) => this.compare(inner));
    this.#comparing.set(schema, found);
    return found;
  }

  #own(schema: StructuralSchema, value: unknown, old: unknown, path: Cause['path']): Cause[] {
    const rules = this.#compile(schema).filter((rule) => !rule.transition || old !== undefined);
    if (rules.length === 0) return [];
    const self = celValue(schema, value);
    const oldSelf = old === undefined ? undefined : celValue(schema, old);
    return rules.flatMap((rule) => failureOf(rule, oldSelf === undefined ? { self } : { self, oldSelf }, path));
  }

  #below(schema: StructuralSchema, value: unknown, old: unknown, path: Cause['path']): Cause[] {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return [];
      const before = correlate(schema, old);
      return value.flatMap((item, index) => this.check(items, item, before(item), [...path, index]));
    }
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([name, member]) => {
      const inner = memberSchema(schema, name);
      const before = isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      return inner === undefined ? [] : this.check(inner, member, before, [...path, name]);
    });
  }

  /** Most of a definition has no rules; what has none anywhere inside is not walked. */
  #hasRules(schema: StructuralSchema): boolean {
    const known = this.#interesting.get(schema);
    if (known !== undefined) return known;
    const found =
      (schema['x-kubernetes-validations']?.length ?? 0) > 0 ||
      innerSchemas(schema).some((inner) => this.#hasRules(inner));
    this.#interesting.set(schema, found);
    return found;
  }

  #compile(schema: StructuralSchema): readonly CompiledRule[] {
    let rules = this.#rules.get(schema);
    if (rules === undefined) {
      rules = (schema['x-kubernetes-validations'] ?? []).map((source) => ({
        source,
        evaluate: this.#expression(source.rule),
        message: source.messageExpression === undefined ? undefined : this.#expression(source.messageExpression),
        transition: isTransition(source.rule),
      }));
      this.#rules.set(schema, rules);
    }
    return rules;
  }

  /** The same rule stands at many places of a definition. */
  #expression(text: string): Evaluate {
    let evaluate = this.#compiled.get(text);
    if (evaluate === undefined) {
      evaluate = plan(this.#env, parse(text)) as Evaluate;
      this.#compiled.set(text, evaluate);
    }
    return evaluate;
  }
}

const isTransition = (rule: string): boolean => /\boldSelf\b/.test(rule);

const innerSchemas = ({ properties = {}, items, additionalProperties }: StructuralSchema): StructuralSchema[] =>
  [...Object.values(properties), items, additionalProperties].filter((part) => typeof part === 'object');

function failureOf(rule: CompiledRule, bindings: Record<string, CelInput>, path: Cause['path']): Cause[] {
  const result = rule.evaluate(bindings);
  if (result === true) return [];
  const place = [...path, ...(rule.source.fieldPath?.split('.').filter((part) => part !== '') ?? [])];
  if (isCelError(result))
    return [
      { path: place, message: `${messageOf(rule, bindings)} (the rule could not be evaluated: ${result.message})` },
    ];
  return [{ path: place, message: messageOf(rule, bindings) }];
}

function messageOf({ source, message }: CompiledRule, bindings: Record<string, CelInput>): string {
  const computed = message?.(bindings);
  if (typeof computed === 'string' && computed.trim() !== '') return computed;
  return source.message ?? `failed rule: ${source.rule}`;
}

/** The item before of an item now: only lists with keys have one. */
function correlate(schema: StructuralSchema, old: unknown): (item: unknown) => unknown {
  const identity = schema['x-kubernetes-list-type'] === 'map' ? identityOf(schema) : undefined;
  if (identity === undefined || !Array.isArray(old)) return () => undefined;
  const before = new Map(old.map((item) => [identity(item), item]));
  return (item) => before.get(identity(item));
}
