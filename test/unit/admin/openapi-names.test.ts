import test from 'ava';
import type { Operation } from '../../../src/admin/index.ts';
import { openApiDocument } from '../../../src/admin/openapi/index.ts';
import { operations } from '../../../src/app/addons/operations.ts';

/* A client that is generated from the description reads well: its types have names, and all that there is has words. */

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Described {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

const document = openApiDocument('test', operations);
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const describedOf = ({ method, path }: Operation): Described =>
  document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method] as Described;

test('what answers are made of has the names that people use', (t) => {
  const layout1 = [
    'Route',
    'Gateway',
    'Listener',
    'Node',
    'Backend',
    'Certificate',
    'Problem',
    'Error',
    'Summary',
    'Snapshot',
  ];
  const layout2 = [
    'Layout2Route',
    'Layout2Gateway',
    'Layout2Backend',
    'Client',
    'SnapshotVersion',
    'AgentStatus',
    'AgentXdsStatus',
  ];
  for (const name of [
    ...layout1,
    ...layout2,
    'Condition',
    'ObjectReference',
    'Topology',
    'TopologyNode',
    'TopologyEdge',
  ])
    t.true(name in schemas, name);
  t.deepEqual(
    describedOf(operationAt('get', '/v1/routes/:kind/:namespace/:name')).responses[200]?.content['application/json']
      ?.schema,
    {
      $ref: '#/components/schemas/Route',
    },
  );
  // None is numbered because another one had its name.
  t.deepEqual(
    Object.keys(schemas).filter((name) => /[a-z]\d$/.test(name) && schemas[name.slice(0, -1)] !== undefined),
    [],
  );
});

function operationAt(method: string, path: string): Operation {
  const found = operations.find((each) => each.method === method && each.path === path);
  if (!found) throw new Error(`there is no ${method} ${path}`);
  return found;
}

/** Objects and lists of words that are written where they are used, with where that is. */
function* unnamed(schema: Schema, at: string): Generator<string> {
  if (Object.keys(schema.properties ?? {}).length > 0 || (schema.enum?.length ?? 0) > 1) yield at;
  yield* inside(schema, at);
}

function* inside({ properties = {}, items, anyOf = [] }: Schema, at: string): Generator<string> {
  for (const [key, each] of Object.entries(properties)) yield* unnamed(each, `${at}.${key}`);
  if (items) yield* unnamed(items, `${at}[]`);
  for (const each of anyOf) yield* unnamed(each, at);
}

test('no object and no list of words is without a name', (t) => {
  const found = [
    ...Object.entries(schemas).flatMap(([name, schema]) => [...inside(schema, name)]),
    ...operations.flatMap((operation) =>
      Object.entries(describedOf(operation).responses).flatMap(([status, { content }]) =>
        Object.values(content).flatMap(({ schema }) => [...unnamed(schema, `${operation.path} ${status}`)]),
      ),
    ),
  ];
  t.deepEqual(found, []);
});

test('every field, operation and parameter says what it is', (t) => {
  const isSilent = ({ description, $ref = '' }: Schema) =>
    description === undefined && schemas[$ref.split('/').at(-1) ?? '']?.description === undefined;
  const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, field]) => isSilent(field))
      .map(([key]) => `${name}.${key}`),
  );
  t.deepEqual(fields, []);
  for (const operation of operations) {
    const { summary, description, parameters = [] } = describedOf(operation);
    t.true(summary !== '' && description.length > summary.length, operation.path);
    for (const { name, description: words } of parameters) t.truthy(words, `${operation.path} ${name}`);
  }
});

test('every answer and body has an example that its own schema takes', (t) => {
  for (const operation of operations) {
    const { answer, body, media = 'application/json', method, path } = operation;
    const { responses, requestBody } = describedOf(operation);
    if (answer) t.notThrows(() => answer.parse(responses[200]?.content[media]?.example), `${method} ${path}`);
    if (body) t.notThrows(() => body.parse(requestBody?.content['application/json']?.example), `${method} ${path}`);
  }
});
