import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse, stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { fileFor, runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';

const rule = (name: string) => [{ backendRefs: [{ name, port: 80 }] }];

const backend = [
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: [{ addresses: ['10.0.0.1'] }],
  },
];

function directoryOf(t: ExecutionContext, files: Readonly<Record<string, readonly object[]>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-translate-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, objects] of Object.entries(files))
    writeFileSync(join(directory, name), objects.map((object) => stringify(object)).join('---\n'));
  return directory;
}

const world = (t: ExecutionContext, ...more: readonly object[]): string =>
  directoryOf(t, {
    'gateway.yaml': gatewayObjects(8080),
    'routes.yaml': [...backend, routeObject('shop', 'shop.test', rule('web')), ...more],
  });

test('files become statuses, and all is well', async (t) => {
  const { code, stdout, stderr } = await runProgram(['translate', '-f', world(t)]);
  t.is(code, 0, stderr);
  t.regex(stdout, /^KIND +NAMESPACE +NAME +AT +ACCEPTED +RESOLVED +MESSAGE\n/);
  t.regex(stdout, /\nGateway +default +edge +http +True +True +-\n/);
  t.regex(stdout, /\nHTTPRoute +default +shop +edge +True +True +-\n/);
  t.false(stdout.includes('Programmed'));
});

test('something that is not accepted is an exit code, and says why', async (t) => {
  const path = world(t, routeObject('lost', 'lost.test', rule('missing')));
  const { code, stdout } = await runCommand(['translate', '-f', path]);
  t.is(code, 1);
  t.regex(stdout, /HTTPRoute +default +lost +edge +True +False +BackendNotFound: /);
  const statuses = JSON.parse((await runCommand(['translate', '-f', path, '-o', 'json'])).stdout) as {
    name: string;
    accepted: boolean;
    status: { parents?: object[] };
  }[];
  t.like(
    statuses.find(({ name }) => name === 'lost'),
    { accepted: false },
  );
  t.like(
    statuses.find(({ name }) => name === 'shop'),
    { accepted: true },
  );
});

test('files become Envoy resources of each Gateway, and the intermediate representation', async (t) => {
  const path = world(t);
  const envoy = await runCommand(['translate', '-f', path, '--to', 'envoy', '-o', 'json']);
  t.is(envoy.code, 0, envoy.stderr);
  const [edge] = JSON.parse(envoy.stdout) as {
    gateway: string;
    resources: { typeUrl: string; name: string; resource: object }[];
  }[];
  t.is(edge?.gateway, 'default/edge');
  t.true(edge?.resources.some(({ typeUrl, name }) => typeUrl.endsWith('.Cluster') && name === 'default/web/80'));
  t.regex(JSON.stringify(edge?.resources), /"socket_address":\{"address":"10\.0\.0\.1","port_value":8080\}/);
  const clusters = await runCommand(['translate', '-f', path, '--to', 'envoy', '--type', 'cds', '-o', 'table']);
  t.regex(clusters.stdout, /^GATEWAY +TYPE +NAME +VERSION\ndefault\/edge +Cluster +default\/web\/80 +\S+\n$/);
  const ir = parse((await runCommand(['translate', '-f', path, '--to', 'ir'])).stdout) as {
    routes: { host: string }[];
  };
  t.deepEqual(
    ir.routes.map(({ host }) => host),
    ['shop.test'],
  );
});

test('a class that is not among the files is taken for ours, and said so', async (t) => {
  const [, gateway] = gatewayObjects(8080);
  const path = directoryOf(t, {
    'all.yaml': [gateway as object, ...backend, routeObject('shop', 'shop.test', rule('web'))],
  });
  const { code, stdout, stderr } = await runCommand(['translate', '-f', path]);
  t.is(code, 0, stdout);
  t.regex(stderr, /note: GatewayClass gatewright is not among the files/);
});

thorough(test)(
  'an object that is not valid is left out and makes the exit code 1; a path that is not there makes it 2',
  async (t) => {
    const path = world(t, routeObject('Bad Name', 'bad.test', rule('web')));
    const { code, stdout, stderr } = await runCommand(['translate', '-f', path]);
    t.is(code, 1);
    t.regex(stderr, /routes\.yaml:\d+:\d+: error: .*Bad Name/);
    t.regex(stdout, /HTTPRoute +default +shop/);
    const nowhere = await runCommand(['translate', '-f', '/nowhere']);
    t.is(nowhere.code, 2);
    t.regex(nowhere.stderr, /^gatewright: .*\/nowhere/);
  },
);

test('diff wants to know what to compare, and valid files', async (t) => {
  const neither = await runCommand(['diff']);
  t.is(neither.code, 2);
  t.regex(neither.stderr, /files with -f, or a data plane with --node/);
  const broken = await runCommand(['diff', '-f', fileFor(t, 'kind: [')]);
  t.is(broken.code, 2);
  t.regex(broken.stderr, /nothing is compared while files are not valid/);
});
