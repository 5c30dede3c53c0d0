import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import { runCommand } from '../support/command.ts';
import { edgeGateway, ownClass, servedIngress } from '../support/native-ingresses.ts';
import { runProgram } from '../support/program.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Ingresses under their own names in the command line and the admin API, of a running control plane with a real Envoy. */

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
};

test('Ingresses are listed, described and named in answers, with what is wrong with them', async (t) => {
  const gateway = edgeGateway();
  const { spec } = gateway as unknown as { readonly spec: { readonly listeners: readonly object[] } };
  const port = await freePort();
  const listeners = spec.listeners.map((listener) => ({ ...listener, port }));
  const run = await startStandalone(
    {
      'gateway.yaml': [gatewayClass, ownClass(), { ...gateway, spec: { ...spec, listeners } }, service],
      'ingresses.yaml': [
        servedIngress('web'),
        servedIngress('part', { host: 'p.test', service: 'absent' }),
        servedIngress('closed', { host: 'c.test', annotations: { 'auth-type': 'digest', 'auth-secret': 'users' } }),
        servedIngress('theirs', { host: 't.test', className: 'nginx' }),
      ],
    },
    { config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  const admin = run.control.ports.layout1;
  const server = ['--server', `http://127.0.0.1:${admin}`];
  const get = async (path: string) => (await run.json(admin, path)).body as never;

  const listed = await runCommand(['get', 'ingresses', ...server]);
  t.is(listed.code, 0, listed.stderr);
  const states = listed.stdout.split('\n').map((line) => line.split(/ {2,}/));
  t.deepEqual(states[0], ['NAMESPACE', 'NAME', 'CLASS', 'HOSTS', 'ADDRESS', 'STATE', 'MESSAGE']);
  t.deepEqual(
    states.slice(1, 5).map(([, name, its, hosts, , state]) => [name, its, hosts, state]),
    [
      ['closed', 'gatewright', 'c.test', 'failed'],
      ['part', 'gatewright', 'p.test', 'degraded'],
      ['theirs', 'nginx', 't.test', 'foreign'],
      ['web', 'gatewright', 'a.test', 'served'],
    ],
  );
  t.regex(listed.stdout, /closed .*ProtectionUnavailable: .*digest/);
  t.regex((await runCommand(['get', 'ingress/web', '-o', 'name', ...server])).stdout, /^ingress\/web\n$/);
  const worst = await runCommand(['get', 'ingress', '--sort', 'state', '-o', 'name', ...server]);
  t.is(worst.stdout, 'ingress/closed\ningress/part\ningress/web\ningress/theirs\n', worst.stderr);

  const well = await runProgram(['describe', 'ingress', 'shop/web', ...server]);
  t.is(well.code, 0, well.stdout + well.stderr);
  t.regex(well.stdout, /^Ingress shop\/web: served\nclass +gatewright\ngateway +infra\/edge\nhosts +a\.test\n/);
  t.regex(well.stdout, /PATHS\n {2}a\.test\n {4}\/ \(Prefix\) to Service web:80\n/);
  t.regex(well.stdout, /BECAME\n {2}HTTPRoute shop\/Ingress:web: accepted\n/);
  const closed = await runCommand(['describe', 'ing', 'closed', ...server]);
  t.is(closed.code, 1);
  t.regex(closed.stdout, /^Ingress shop\/closed: not served\n[\s\S]*FAULTS\n {2}ProtectionUnavailable: /);
  t.regex(closed.stdout, /PROBLEMS\n[\s\S]*next: /);
  const theirs = await runCommand(['describe', 'ingress', 'theirs', ...server]);
  t.is(theirs.code, 0);
  t.regex(theirs.stdout, /^Ingress shop\/theirs: not ours, class nginx\n/);
  const none = await runCommand(['describe', 'ingress', 'wep', ...server]);
  t.regex(none.stderr, /there is no Ingress "wep".*did you mean "?web/);

  const routes: { readonly name: string; readonly ingress: string }[] = await get('/v1/routes?kind=Ingress&sort=name');
  t.deepEqual(
    [...new Set(routes.map(({ ingress }) => ingress))],
    ['closed', 'part', 'web'],
    'routes say which Ingress they were made of',
  );
  t.is(((await get('/v1/routes?ingress=web&namespace=shop')) as readonly object[]).length, 1);
  const topology: { readonly nodes: readonly { readonly name: string; readonly label: string }[] } =
    await get('/v1/topology');
  t.is(topology.nodes.find(({ name }) => name === 'Ingress:web')?.label, 'Ingress web');
  const tested = await runCommand(['route-test', `http://a.test:${port}/x`, ...server]);
  t.regex(tested.stdout, /route +Ingress shop\/web rule 0 match 0, host a\.test\n/);

  const moved = join(run.directory, '..', `${basename(run.directory)}-moved.yaml`);
  writeFileSync(moved, stringify(servedIngress('web', { host: 'moved.test' })));
  t.teardown(() => rmSync(moved));
  const differs = await runCommand(['diff', '-f', moved, ...server]);
  t.is(differs.code, 1, differs.stderr);
  t.regex(differs.stdout, /- +- host: a\.test|-.*a\.test/);
  t.regex(differs.stdout, /\+.*moved\.test/);
  t.regex(differs.stdout, /1 of 1 object, \d+ status(es)? and [1-9]\d* Envoy resources? would change/);
  t.is((await runCommand(['route-test', `http://a.test:${port}/`, ...server])).code, 0, 'nothing was changed');

  // Each fault of each Ingress of the files, as its Events would have it.
  const secure = { tls: [{ hosts: ['p.test'], secretName: 'absent' }] };
  writeFileSync(
    moved,
    [
      servedIngress('part', { host: 'p.test', annotations: { 'auth-cache-key': 'x' }, more: secure }),
      servedIngress('closed', { host: 'c.test', service: 'absent' }),
      servedIngress('lost', { host: 'l.test', className: 'nope' }),
    ]
      .map((object) => stringify(object))
      .join('---\n'),
  );
  const faults = (await runCommand(['diff', '-f', moved, ...server])).stdout.split('\n');
  const said = (name: string) => faults.filter((line) => line.startsWith(`Ingress shop/${name}: `)).join('\n');
  t.regex(said('part'), /: CertificateNotUsed: p\.test: Secret shop\/absent does not exist/);
  t.regex(said('part'), /: no longer BackendNotFound: /);
  t.regex(
    said('closed'),
    /: BackendNotFound: Service shop\/absent does not exist: [^\n]*\n.*: no longer ProtectionUnavailable: /,
  );
  t.is(said('lost'), 'Ingress shop/lost: NotOurs: IngressClass nope does not exist');
  const one = await run.json(admin, '/v1/ingresses/shop/none');
  t.like(one, { status: 404, body: { error: { code: 'ingress_not_found' } } });
});
