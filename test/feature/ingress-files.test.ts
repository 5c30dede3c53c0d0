import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { edgeGateway, ownClass, servedIngress, servedService } from '../support/native-ingresses.ts';
import { runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

/** Ingresses in files, judged as a control plane that serves them does. */

const world = [edgeGateway(), ownClass(), servedService('web')];

function fileOf(t: ExecutionContext, ...objects: readonly object[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-ingress-files-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'all.yaml'), objects.map((object) => stringify(object)).join('---\n'));
  return directory;
}

const linesOf = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

test('translate shows what Ingresses become, where the files have a class of ours', async (t) => {
  const path = fileOf(
    t,
    ...world,
    servedIngress('web'),
    servedIngress('theirs', { className: 'nginx', host: 'n.test' }),
  );
  const { code, stdout, stderr } = await runProgram(['translate', '-f', path]);
  t.is(code, 0, stdout + stderr);
  const lines = linesOf(stdout);
  t.deepEqual(
    lines.filter(([kind]) => kind === 'Ingress'),
    [
      ['Ingress', 'shop', 'theirs', '-', '-', '-', 'IngressClass nginx is not among these files'],
      ['Ingress', 'shop', 'web', 'edge', 'True', 'True', '-'],
    ],
  );
  t.false(stdout.includes('Ingress:web'), 'what it became is in no file');
  const envoy = await runCommand(['translate', '-f', path, '--to', 'envoy', '--type', 'rds']);
  t.regex(envoy.stdout, /a\.test/);
  t.notRegex(envoy.stdout, /n\.test/);
});

thorough(test)('for programs, nothing of another controller is said to be accepted', async (t) => {
  const gatewayApi = { apiVersion: 'gateway.networking.k8s.io/v1' };
  const foreignGateway = {
    ...gatewayApi,
    kind: 'Gateway',
    metadata: { namespace: 'infra', name: 'foreign' },
    spec: { gatewayClassName: 'theirs', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
  };
  const foreignClass = {
    ...gatewayApi,
    kind: 'GatewayClass',
    metadata: { name: 'theirs' },
    spec: { controllerName: 'example.com/gateway' },
  };
  const classNginx = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  };
  const path = fileOf(
    t,
    ...world,
    foreignGateway,
    foreignClass,
    classNginx,
    servedIngress('web'),
    servedIngress('theirs', { className: 'nginx', host: 'n.test' }),
    servedIngress('unknown', { host: 'u.test', className: 'nope' }),
  );
  const { code, stdout } = await runCommand(['translate', '-f', path, '-o', 'json']);
  t.is(code, 0, 'what is not ours is no fault');
  const records = JSON.parse(stdout) as { readonly kind: string; readonly name: string }[];
  const of = (kind: string, name: string) => records.find((each) => each.kind === kind && each.name === name);
  const message = 'another controller has its class';
  t.like(of('Ingress', 'web'), { accepted: true });
  t.like(of('Ingress', 'theirs'), { accepted: null, status: null, message });
  t.like(of('Ingress', 'unknown'), { accepted: null, message: 'IngressClass nope is not among these files' });
  t.like(of('Gateway', 'foreign'), { accepted: null, status: null, message });
  t.like(of('GatewayClass', 'theirs'), { accepted: null, message });
  t.like(of('Gateway', 'edge'), { accepted: true });
});

thorough(test)(
  'what is wrong with an Ingress is an exit code of translate, and a finding of validate at its place',
  async (t) => {
    const closed = servedIngress('closed', { annotations: { 'auth-type': 'digest', 'auth-secret': 'users' } });
    const path = fileOf(
      t,
      ...world,
      closed,
      servedIngress('lost', { host: 'l.test', service: 'absent' }),
      servedIngress('fine', { host: 'f.test' }),
      servedIngress('secret', { host: 's.test', more: { tls: [{ hosts: ['s.test'], secretName: 'missing' }] } }),
      servedIngress('unknown', { host: 'u.test', className: 'nope' }),
    );
    const translated = await runCommand(['translate', '-f', path, '-o', 'json']);
    t.is(translated.code, 1);
    const statuses = JSON.parse(translated.stdout) as { kind: string; name: string; accepted: boolean | null }[];
    t.deepEqual(
      statuses.filter(({ kind }) => kind === 'Ingress').map(({ name, accepted }) => [name, accepted]),
      [
        ['closed', false],
        ['fine', true],
        ['lost', false],
        ['secret', false],
        ['unknown', null],
      ],
    );
    const validated = await runProgram(['validate', path]);
    t.is(validated.code, 1, validated.stderr);
    t.regex(validated.stdout, /all\.yaml:\d+:\d+: error: Ingress shop\/closed: ProtectionUnavailable: .*digest/);
    t.regex(validated.stdout, /error: Ingress shop\/lost: BackendNotFound: .*absent/);
    t.regex(
      validated.stdout,
      /error: Ingress shop\/secret: CertificateNotUsed: s\.test: Secret shop\/missing does not exist/,
    );
    t.regex(validated.stdout, /warning: Ingress shop\/unknown: IngressClass nope is not among these files/);
    t.notRegex(validated.stdout, /shop\/fine|is not read/);
    const alone = await runCommand(['validate', fileOf(t, servedIngress('web'))]);
    t.regex(alone.stdout, /Ingress is not read and is ignored/, 'without a class of ours none is served');
  },
);

thorough(test)('a configuration that serves Ingresses of another name counts', async (t) => {
  const path = fileOf(t, edgeGateway(), servedService('web'), servedIngress('web', { className: undefined }));
  const config = join(path, '..', `${path.split('/').at(-1)}-config.json`);
  writeFileSync(config, JSON.stringify({ ingress: { enabled: true, withoutClass: true, gateway: 'infra/edge' } }));
  t.teardown(() => rmSync(config));
  const { stdout } = await runCommand(['translate', '-f', path, '--config', config]);
  t.deepEqual(linesOf(stdout).at(-2)?.slice(0, 3) ?? [], ['Ingress', 'shop', 'web']);
});
