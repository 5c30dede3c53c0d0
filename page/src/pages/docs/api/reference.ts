/** A JSON Schema of the description, as far as it is shown. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** By media type. */
export type Contents = Readonly<Record<string, Content>>;

interface Described {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Contents }>>;
}

/** An OpenAPI 3.1 document, as far as it is shown. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation extends Described {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  /** Such as `Layout 1`. */
  readonly tag: string;
  /** What it is about: the first word of its path behind the version, such as `backends`; empty when it has none. */
  readonly resource: string;
  /** In lower case, what the search looks at. */
  readonly text: string;
}

export interface Reference {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** By the name of a schema, in lower case: its name and those of its fields. */
  readonly schemaTexts: ReadonlyMap<string, string>;
}

/** The description in the shape in which it is shown. */
export function referenceOf({ info, paths, components: { schemas } }: OpenApi): Reference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(method, path, described)),
  );
  const schemaTexts = new Map(
    Object.entries(schemas).map(([name, { properties = {} }]) => [
      name,
      [name, ...Object.keys(properties)].join(' ').toLowerCase(),
    ]),
  );
  return {
    title: info.title,
    version: info.version,
    description: info.description ?? '',
    operations,
    schemas,
    schemaTexts,
  };
}

function operationOf(method: string, path: string, described: Described): Operation {
  const { tags = [], summary, description = '', parameters = [], operationId } = described;
  const words = [method, path, operationId, summary, description, ...parameters.map(({ name }) => name)];
  return {
    ...described,
    method,
    path,
    tag: tags[0] ?? '',
    resource: /^\/(?:api\/)?v\d+\/([^/{]+)/.exec(path)?.[1] ?? '',
    text: words.join(' ').toLowerCase(),
  };
}

const place = '#/components/schemas/';

/** The name that a reference is to; undefined for what is none. */
export const nameOfRef = ({ $ref }: Schema): string | undefined =>
  $ref?.startsWith(place) ? $ref.slice(place.length) : undefined;

/** Names of all schemas that a part of the description refers to, directly. */
function namesIn(part: unknown): ReadonlySet<string> {
  const names = JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return new Set([...names].map(([, name = '']) => name));
}

/** Operations, and other schemas, that refer to the schema of this name. */
export const usersOf = (name: string, { operations, schemas }: Reference) => ({
  operations: operations.filter((operation) => namesIn(operation).has(name)),
  schemas: Object.keys(schemas).filter((other) => other !== name && namesIn(schemas[other]).has(name)),
});

/** What an operation answers when all is well: of the first status of the 200s that has a content. */
export function answerOf({ responses }: Operation): Contents {
  const found = Object.entries(responses).find(([status, { content }]) => /^2/.test(status) && content !== undefined);
  return found?.[1].content ?? {};
}

/** The schema and the example of the first media type, with all of them. */
export function contentOf(contents: Contents): Content & { readonly media: readonly string[] } {
  return { ...Object.values(contents)[0], media: Object.keys(contents) };
}

export interface ErrorLine {
  readonly status: string;
  readonly code: string;
  readonly meaning: string;
}

/** What an operation answers when something is wrong, by the code. Descriptions have each as "`code`: meaning". */
export const errorsOf = ({ responses }: Operation): readonly ErrorLine[] =>
  Object.entries(responses).flatMap(([status, { description }]) =>
    [...description.matchAll(/`(\w+)`: (.*?)(?= `\w+`: |$)/gs)].map(([, code = '', meaning = '']) => ({
      status,
      code,
      meaning,
    })),
  );
