import { execFileSync } from 'node:child_process';
import test from 'ava';
import { curlLine, pathWith } from '../../../page/src/pages/docs/api/curl.ts';
import { findOperations } from '../../../page/src/pages/docs/api/find-operations.ts';
import {
  errorsOf,
  nameOfRef,
  type OpenApi,
  type Operation,
  referenceOf,
  type Schema,
  usersOf,
} from '../../../page/src/pages/docs/api/reference.ts';
import { boundsOf, shapesOf, typeOf } from '../../../page/src/pages/docs/api/type-of.ts';
import { errorCodes } from '../../../src/admin/http/index.ts';
import { openApiDocument } from '../../../src/admin/openapi/index.ts';
import { operations } from '../../../src/app/addons/operations.ts';

const document = openApiDocument('test', operations) as unknown as OpenApi;
const reference = referenceOf(document);
const find = (name: string): Schema | undefined => reference.schemas[name];
const operation = (id: string): Operation => {
  const found = reference.operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};
const written = (schema: Schema): string =>
  typeOf(schema)
    .map((part) => (typeof part === 'string' ? part : part.schema))
    .join('');

test('all that the API has is in the reference, by what it is about', (t) => {
  t.is(reference.operations.length, operations.length);
  t.is(new Set(reference.operations.map(({ operationId }) => operationId)).size, operations.length);
  const resource = (id: string) => operation(id).resource;
  t.deepEqual(['getLivez', 'getV1Backends', 'getV1BackendsNamespaceName', 'getApiV1Stats', 'postMcp'].map(resource), [
    '',
    'backends',
    'backends',
    'stats',
    '',
  ]);
});

test('each error of each operation is found, and is one that the documentation explains', (t) => {
  for (const each of reference.operations) {
    const lines = errorsOf(each);
    t.true(lines.length > 0, each.operationId);
    for (const { status, code, meaning } of lines) {
      const known = errorCodes[code as keyof typeof errorCodes];
      t.deepEqual([String(known?.status), known?.meaning], [status, meaning], `${each.operationId} ${code}`);
    }
  }
});

test('types read as words, and what is named is a link', (t) => {
  t.is(written({ type: 'array', items: { $ref: '#/components/schemas/Route' } }), 'array of Route');
  t.is(written({ type: ['integer', 'null'] }), 'integer or null');
  t.is(written({ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }), 'string (date-time) or null');
  t.is(written({ type: 'object', additionalProperties: { type: 'number' } }), 'map of number');
  t.is(written({ enum: ['a', 'b'] }), '"a" | "b"');
  t.is(written({}), 'any');
  t.deepEqual(boundsOf({ type: 'integer', minimum: 1, maximum: 500, default: 50 }), [
    'default 50',
    'minimum 1',
    'maximum 500',
  ]);
  t.deepEqual(boundsOf({ type: 'integer', maximum: Number.MAX_SAFE_INTEGER }), []);
});

test('every schema has a type and can be opened, and every name that it refers to is there', (t) => {
  for (const [name, schema] of Object.entries(reference.schemas)) {
    t.not(written(schema), '', name);
    for (const shape of shapesOf(schema, find)) t.true(Object.keys(shape.schema.properties ?? {}).length > 0, name);
    for (const part of typeOf(schema))
      if (typeof part === 'object') t.truthy(find(part.schema), `${name} ${part.schema}`);
  }
  t.deepEqual(
    shapesOf(operation('getV1Routes').responses['200']?.content?.['application/json']?.schema ?? {}, find).map(
      ({ name }) => name,
    ),
    ['Route', 'GroupedRoutes', 'RouteColumns'],
  );
  const users = usersOf('RouteParent', reference);
  t.true(users.schemas.includes('Route'));
  t.true(usersOf('Route', reference).operations.some(({ operationId }) => operationId === 'getV1Routes'));
  t.is(nameOfRef({ $ref: 'https://elsewhere.example/x' }), undefined);
});

/** What a shell hands to curl. */
const asRun = (line: string): readonly string[] =>
  JSON.parse(
    execFileSync(
      'sh',
      ['-c', `curl() { "${process.execPath}" -p 'JSON.stringify(process.argv.slice(1))' -- "$@"; }; ${line}`],
      {
        encoding: 'utf8',
        env: { TOKEN: 'from the shell' },
      },
    ),
  );

const hostile = `a'; touch /tmp/x #$(id)\`id\`"\\ \n/../é?&=%`;

test('a line for a shell is one call, whatever the values are', (t) => {
  const one = operation('getV1BackendsNamespaceName');
  const line = curlLine(one, {
    base: 'http://127.0.0.1:18081/gw',
    values: { namespace: hostile, name: 'web:80' },
    hasToken: true,
    isStream: false,
  });
  const [header, token, url = '', ...more] = asRun(line);
  t.deepEqual([header, token, more], ['-H', 'Authorization: Bearer from the shell', []]);
  t.is(decodeURIComponent(url), `http://127.0.0.1:18081/gw/v1/backends/${hostile}/web:80`);
  t.is(new URL(url).pathname.split('/').length, 6, 'a value is one part of the path');

  const body = { text: hostile };
  const sent = asRun(
    curlLine(operation('postV1RouteTest'), { base: 'http://a', values: {}, hasToken: false, body, isStream: false }),
  );
  t.deepEqual(sent.slice(0, 2), ['-X', 'POST']);
  t.deepEqual(JSON.parse(sent[sent.indexOf('-d') + 1] ?? ''), body);
});

test('values that are not given are left out of the query, and stay open in the path', (t) => {
  const list = operation('getV1Routes');
  t.is(pathWith(list, { limit: '5', q: 'a b&c', name: '' }), '/v1/routes?q=a+b%26c&limit=5');
  t.is(pathWith(operation('getV1NodesNodeId'), {}), '/v1/nodes/{nodeId}');
  t.is(pathWith(operation('getV1NodesNodeId'), { nodeId: '\ud800' }), '/v1/nodes/%EF%BF%BD');
});

const firstOf = (query: string) => findOperations(reference, query).operations[0]?.operationId;

test('operations are found by path, by a path with values, by method and by words; schemas by name', (t) => {
  t.is(firstOf('/v1/gateways'), 'getV1Gateways');
  t.is(firstOf('GET /v1/gateways/shop/edge?limit=2'), 'getV1GatewaysNamespaceName');
  t.is(firstOf('/v1/routes/httproute/shop/cart/'), 'getV1RoutesKindNamespaceName');
  t.is(firstOf('getv1search'), 'getV1Search');
  t.is(firstOf('post validate'), 'postV1Validate');
  // One that names its parts goes before one that takes any.
  t.is(firstOf('/v1/backends'), 'getV1Backends');
  t.is(findOperations(reference, 'traffictotals').schemas[0], 'TrafficTotals');
  t.deepEqual(findOperations(reference, 'nothing-of-this-name'), { operations: [], schemas: [] });
  t.deepEqual(findOperations(reference, ''), { operations: [], schemas: [] });
  t.true(findOperations(reference, 'v1').operations.length <= 8);
});
