import test from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { type IngressParts, ingressOf } from '../support/ingress-model.ts';
import { fileFor } from '../support/program.ts';

const documents = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');

const ingresses: readonly IngressParts[] = [
  { name: 'web', host: 'a.test', tls: ['a.test'], annotations: { affinity: 'cookie' }, paths: { '/': 'web' } },
  {
    name: 'api',
    host: 'b.test',
    annotations: { 'limit-rps': '5', 'whitelist-source-range': '10.0.0.0/8' },
    paths: { '/': 'api' },
  },
];

const ofCertManager = () => {
  const ingress = ingressOf({ name: 'issued', host: 'c.test', tls: ['c.test'], paths: { '/': 'web' } });
  const annotations = { 'cert-manager.io/cluster-issuer': 'letsencrypt', 'external-dns.alpha.kubernetes.io/ttl': '60' };
  return { ...ingress, metadata: { ...ingress.metadata, annotations } };
};

test('the plan names what of these Ingresses needs care, at the step where it does', async (t) => {
  const file = fileFor(t, documents(...ingresses.map(ingressOf), ofCertManager()), 'ingresses.yaml');
  const { code, stdout } = await runCommand(['migrate', 'shift', '--plan', '-f', file, '--gateway', 'edge/main']);
  t.is(code, 0);
  t.regex(stdout, /^3 Ingresses, 3 hosts, 1 certificate\. Nothing is changed/);
  t.regex(stdout, /kubectl -n edge get gateway main -o/);
  t.regex(stdout, /not here: b\.test/);
  t.regex(stdout, /lists of addresses .*: shop\/api/);
  t.regex(stdout, /external-dns keeps a name .* on shop\/issued/);
  t.regex(stdout, /cookies of sessions .* for shop\/web/);
  t.regex(stdout, /limits count on each side .*: shop\/api/);
  t.regex(stdout, /cert-manager's Certificates .*: shop\/issued/);
  t.regex(stdout, /kubectl get ingress --all-namespaces .* > ingresses\.json/, 'a backup first');
  t.regex(stdout, /kubectl -n shop delete ingress api issued web\n/, 'all of them, in one line');
  const steps = [...stdout.matchAll(/^(\d)\. /gm)].map(([, step]) => step);
  t.deepEqual(steps, ['1', '2', '3', '4', '5', '6', '7']);
  t.is((stdout.match(/^ {3}undo: /gm) ?? []).length, 7);
});

test('a plan without such Ingresses has no such notes', async (t) => {
  const file = fileFor(t, documents(ingressOf({ tls: ['a.test'], paths: { '/': 'web' } })), 'ingresses.yaml');
  const { stdout } = await runCommand(['migrate', 'shift', '--plan', '-f', file]);
  t.notRegex(stdout, /external-dns|cert-manager's|cookies of sessions|lists of addresses/);
});

test('a name that is no name of Kubernetes stays one word of the shell', async (t) => {
  const name = "x'; rm y; '";
  const file = fileFor(t, documents(ingressOf({ name, host: '$(touch x)', paths: { '/': 'web' } })), 'ingresses.yaml');
  const { stdout } = await runCommand(['migrate', 'shift', '--plan', '-f', file]);
  t.true(stdout.includes(`delete ingress 'x'\\''; rm y; '\\'''`));
  t.true(stdout.includes("dig +noall +answer '$(touch x)'"));
});

test('the plan comes as JSON and as Markdown, and only when it is asked for', async (t) => {
  const file = fileFor(t, documents(ingressOf({ paths: { '/': 'web' } })), 'ingresses.yaml');
  const json = JSON.parse((await runCommand(['migrate', 'shift', '--plan', '-f', file, '-o', 'json'])).stdout);
  t.is(json.version, 1);
  t.is(json.steps.length, 7);
  t.regex((await runCommand(['migrate', 'shift', '--plan', '-f', file, '-o', 'markdown'])).stdout, /^### 1\. /m);
  t.is((await runCommand(['migrate', 'shift', '-f', file])).code, 2);
  t.is((await runCommand(['migrate', 'shift', '--plan', '-f', file, '--gateway', 'edge'])).code, 2);
});
