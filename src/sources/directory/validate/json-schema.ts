import { Ajv, type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { didYouMean } from '../../../std/index.ts';
import { patternEngine } from './pattern-engine.ts';
import { patternWords } from './pattern-words.ts';
import type { Cause, StructuralSchema } from './schema.ts';

// CommonJS with a property called default.
const addFormats = addFormatsModule.default;

/** Finds what breaks the value part of a schema: types, required fields, sizes, patterns, enums. All of it at once. */
export class JsonSchemas {
  readonly #ajv: Ajv;
  readonly #compiled = new WeakMap<StructuralSchema, ValidateFunction>();

  constructor() {
    // Patterns are Go's: without the `u` flag JavaScript takes escapes such as `\-` as Go does.
    this.#ajv = new Ajv({
      // Compiling is most of the cost of a start; the checks themselves are fast either way.
      code: { optimize: false, regExp: patternEngine },
      allErrors: true,
      strict: false,
      validateFormats: true,
      unicodeRegExp: false,
      verbose: true,
    });
    addFormats(this.#ajv);
    // Kubernetes knows more formats than JSON Schema does, and does not check these.
    for (const format of ['int-or-string', 'quantity', 'password']) this.#ajv.addFormat(format, true);
  }

  /** At most `limit` of them. */
  check(schema: StructuralSchema, value: unknown, limit: number): Cause[] {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(jsonSchemaOf(schema));
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return [...withoutNoise(validate.errors ?? []).take(limit)].map((error) => causeOf(error));
  }
}

/** Only what ajv acts on; descriptions and rules would be three quarters of the compiled code's input. */
function jsonSchemaOf(schema: StructuralSchema): SchemaObject {
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'description' || keyword === 'default' || keyword.startsWith('x-kubernetes-')) continue;
    kept[keyword] = translateKeyword(keyword, value);
  }
  if (schema['x-kubernetes-int-or-string']) kept.type = ['integer', 'string'];
  return kept as SchemaObject;
}

function translateKeyword(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Record<string, StructuralSchema>).map(([name, inner]) => [name, jsonSchemaOf(inner)]),
      );
    case 'items':
    case 'not':
      return jsonSchemaOf(value as StructuralSchema);
    case 'additionalProperties':
      return typeof value === 'object' ? jsonSchemaOf(value as StructuralSchema) : value;
    case 'oneOf':
    case 'anyOf':
    case 'allOf':
      return (value as StructuralSchema[]).map(jsonSchemaOf);
    default:
      return value;
  }
}

/** The branches of a failed oneOf each say what they would have liked; only that none fits is of use. */
function* withoutNoise(errors: readonly ErrorObject[]): Generator<ErrorObject> {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf').map(({ schemaPath }) => schemaPath),
  );
  for (const error of errors) if (!isBelow(error.schemaPath, choices)) yield error;
}

function isBelow(path: string, choices: ReadonlySet<string>): boolean {
  if (choices.size === 0) return false;
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (choices.has(path.slice(0, end))) return true;
  return false;
}

function causeOf(error: ErrorObject): Cause {
  const path = pointerPath(error.instancePath, error);
  return { path, message: messageOf(error) };
}

/** A JSON pointer names list indexes and map keys alike. A map's key that looks like an index is shown as one, which does no harm. */
function pointerPath(pointer: string, error: ErrorObject): (string | number)[] {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const segments: (string | number)[] = parts.map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part));
  const missing = error.keyword === 'required' ? [(error.params as { missingProperty: string }).missingProperty] : [];
  return [...segments, ...missing];
}

function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error as ErrorObject<string, Record<string, unknown>> & { data?: unknown };
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${article(String(params.type))}, not ${describe(data)}`;
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String);
      return `${quote(data)} is not one of ${allowed.map(quote).join(', ')}${didYouMean(String(data), allowed)}`;
    }
    case 'pattern':
      return `${quote(data)} does not match ${String(params.pattern)}${patternWords(String(params.pattern))}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `has ${String(data).length} characters, at most ${params.limit} are allowed`;
    case 'minItems':
      return `has ${(data as unknown[]).length} items, at least ${params.limit} are needed`;
    case 'maxItems':
      return `has ${(data as unknown[]).length} items, at most ${params.limit} are allowed`;
    case 'minimum':
      return `${quote(data)} is less than ${params.limit}`;
    case 'maximum':
      return `${quote(data)} is more than ${params.limit}`;
    case 'format':
      return `${quote(data)} is not a valid ${String(params.format)}`;
    case 'oneOf':
    case 'anyOf':
      return 'must be exactly one of the allowed forms';
    default:
      return error.message ?? `breaks ${keyword}`;
  }
}

const article = (type: string): string =>
  type.includes(',') ? type.replace(',', ' or ') : /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;

const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `the ${typeof value} ${quote(value)}`;
}
