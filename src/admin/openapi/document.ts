import * as z from 'zod';
import { toEnd } from '../../std/steps/index.ts';
import { type ErrorCodeName, errorCodes } from '../http/index.ts';
import { named } from '../resource/leaves.ts';
import type { Operation } from '../resource/operation.ts';
import { Components, type JsonSchema } from './components.ts';
import { exampleOf } from './example.ts';
import { descriptionOf, pathWords } from './operation-words.ts';

/** Where an operation is answered, by its tag. */
const servers: Readonly<Record<string, { readonly url: string; readonly description: string }>> = {
  'Layout 2, control plane': { url: 'http://127.0.0.1:8081', description: 'Layout 2, control plane' },
  'Layout 2, data plane': { url: 'http://127.0.0.1:8082', description: 'Layout 2, the agent of a data plane' },
};
const layout1Server = { url: 'http://127.0.0.1:18081', description: 'Layout 1' };

/** The answers to these may come from any path of Layout 1. */
const everywhere: readonly ErrorCodeName[] = [
  'host_repeated',
  'unauthorized',
  'host_foreign',
  'rate_limited',
  'internal_error',
];
/** They ask for no token, and come by any name. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz']);

/** The operations as OpenAPI 3.1, in their order. The same for every run of one version. */
export const openApiDocument = (version: string, operations: readonly Operation[]) =>
  toEnd(describing(version, operations));

/** The same, with a step for each operation. */
export function* describing(version: string, operations: readonly Operation[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  const components = new Components();
  const error = components.schemaOf(errorShape, 'Error');
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation, components, error) };
    yield;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatewright admin API',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Layout 1 is under `/v1` on port 18081; Layout 2 is under `/api/v1`, on port 8081 of the control plane and 8082 of each agent.',
    },
    servers: [layout1Server],
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: components.all(),
    },
  };
}

const errorShape = named('Error', 'Why a request was not answered as asked.', {
  error: named('ErrorContent', 'What is wrong.', {
    code: z
      .enum(Object.keys(errorCodes) as [ErrorCodeName, ...ErrorCodeName[]])
      .describe('Never changes its meaning. docs/errors.md explains each.'),
    message: z.string().describe('For people.'),
    details: z
      .array(
        named('ErrorDetail', 'One cause.', {
          path: z.string().describe('Where.'),
          message: z.string().describe('What.'),
        }),
      )
      .optional()
      .describe('Every cause, where there are some.'),
  }),
});

function describe(operation: Operation, components: Components, error: JsonSchema) {
  const { method, path, tag, summary, query = {} } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathWords[name] ?? name,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: wholeNumbers.has(name) ? 'integer' : 'string' },
  }));
  const operationId = `${method}${pascal(path)}`;
  return {
    operationId,
    tags: [tag],
    summary,
    description: descriptionOf(operation),
    ...(probes.has(path) && { security: [] }),
    ...(servers[tag] && { servers: [servers[tag]] }),
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(operation.body && {
      requestBody: {
        required: true,
        content: bodyContent(components.schemaOf(operation.body, `${pascal(path)}Body`, 'input'), components),
      },
    }),
    responses: { ...success(operation, components), ...failures(operation, error) },
  };
}

const wholeNumbers: ReadonlySet<string> = new Set(['limit', 'offset', 'depth']);

const pascal = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function bodyContent(schema: JsonSchema, components: Components) {
  const content = { schema, example: exampleOf(schema, components.find) };
  return { 'application/json': content, 'application/yaml': content };
}

function success({ answer, media, creates, path }: Operation, components: Components) {
  if (answer === undefined && media === undefined) return {};
  const schema = answer === undefined ? { type: 'string' } : components.schemaOf(answer, `${pascal(path)}Answer`);
  const example = answer === undefined ? undefined : exampleOf(schema, components.find);
  const content = { [media ?? 'application/json']: { schema, ...(example !== undefined && { example }) } };
  return {
    200: { description: 'The answer', content },
    ...(creates && { 201: { description: 'The same, of an object that is new', content } }),
  };
}

function failures({ errors = [] }: Operation, schema: JsonSchema) {
  const byStatus = Map.groupBy([...new Set([...errors, ...everywhere])], (code) => errorCodes[code].status);
  const content = { 'application/json': { schema } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ');
      return [status, { description, content }];
    }),
  );
}
