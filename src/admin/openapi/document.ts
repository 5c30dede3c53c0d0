import * as z from 'zod';
import { type ErrorCodeName, errorCodes } from '../http/index.ts';
import type { Operation } from '../resource/operation.ts';

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
export function openApiDocument(version: string, operations: readonly Operation[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation) };
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
      schemas: { Error: errorSchema },
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorCodes) },
        message: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

function describe(operation: Operation) {
  const { method, path, tag, summary, query = {} } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  return {
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(probes.has(path) && { security: [] }),
    ...(servers[tag] && { servers: [servers[tag]] }),
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(operation.body && { requestBody: { required: true, content: bodyContent(operation.body) } }),
    responses: { ...success(operation), ...failures(operation) },
  };
}

function bodyContent(body: z.ZodType) {
  const schema = jsonSchemaOf(body, 'input');
  return { 'application/json': { schema }, 'application/yaml': { schema } };
}

function success({ answer, media, creates }: Operation) {
  if (answer === undefined && media === undefined) return {};
  const schema = answer === undefined ? { type: 'string' } : jsonSchemaOf(answer);
  const content = { [media ?? 'application/json']: { schema } };
  return {
    200: { description: 'The answer', content },
    ...(creates && { 201: { description: 'The same, of an object that is new', content } }),
  };
}

/** `input`: as clients write it; `output`: as it is answered. */
function jsonSchemaOf(type: z.ZodType, io: 'input' | 'output' = 'output'): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { target: 'draft-2020-12', io });
  return schema;
}

function failures({ errors = [] }: Operation) {
  const byStatus = Map.groupBy([...new Set([...errors, ...everywhere])], (code) => errorCodes[code].status);
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ');
      return [status, { description, content }];
    }),
  );
}
