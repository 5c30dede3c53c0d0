import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments, stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { controller, ingress } from '../support/ingress-world.ts';
import { runProgram } from '../support/program.ts';

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
};

/** A directory with what is read, and one that is not there yet. */
function foldersOf(t: ExecutionContext, ...objects: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-convert-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const write = (...all: readonly object[]) =>
    writeFileSync(
      join(folder, 'world.yaml'),
      [...controller(), service, ...all].map((object) => stringify(object)).join('---\n'),
    );
  write(...objects);
  const out = join(folder, 'out');
  return { input: join(folder, 'world.yaml'), out, write };
}

const args = (input: string, out: string, ...more: readonly string[]) => [
  'migrate',
  'convert',
  '-f',
  input,
  '--gateway',
  'infra/edge',
  '--out',
  out,
  ...more,
];
const convert = (input: string, out: string, ...more: readonly string[]) => runCommand(args(input, out, ...more));

/** Files of a directory with their texts. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  );

test('the program writes files, the same ones when it runs again', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain'));
  const { code, stdout, stderr } = await runProgram(args(input, out));
  t.is(code, 0, stderr);
  t.is(stdout, `1 Ingress converted into 3 files of ${out}; read report.md\n`);
  const files = filesOf(out);
  t.deepEqual(Object.keys(files), ['.gatewright-migrate', 'gateway.yaml', 'report.md', 'shop/plain.yaml']);
  t.is((await convert(input, out)).code, 0);
  t.deepEqual(filesOf(out), files);
});

test('an Ingress that is gone takes its file along, and nothing else', async (t) => {
  const { input, out, write } = foldersOf(t, ingress('plain'), ingress('gone', {}, { host: 'b.test' }));
  await convert(input, out);
  writeFileSync(join(out, 'notes.md'), 'mine');
  write(ingress('plain'));
  t.is((await convert(input, out)).code, 0);
  t.false(existsSync(join(out, 'shop/gone.yaml')));
  t.is(readFileSync(join(out, 'notes.md'), 'utf8'), 'mine');
});

test('an Ingress of which others answer all paths is named, and leaves nothing to do', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain'), ingress('late'));
  const { code, stderr } = await convert(input, out);
  t.is(code, 0);
  t.is(stderr, 'gatewright: shop/late is left out, since others answer all of its paths (see report.md)\n');
});

test('expressions are written so that the YAML of kubectl reads them', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain', { 'use-regex': 'true' }, { paths: ['/a'] }));
  await convert(input, out);
  t.regex(filesOf(out)['shop/plain.yaml'] ?? '', /\{type: RegularExpression, value: "\(\?i\)\/a.*"\}/);
});

test('files of others, and files that were changed, are not overwritten silently', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain'));
  await convert(input, out);
  writeFileSync(join(out, 'shop/plain.yaml'), 'changed: by hand\n');
  writeFileSync(join(out, 'other.yaml'), 'kind: Other\n');
  const { code, stdout, stderr } = await convert(input, out);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /other\.yaml was not written by a conversion/);
  t.regex(stderr, /plain\.yaml was not written by a conversion, or was changed since/);
  t.is(readFileSync(join(out, 'shop/plain.yaml'), 'utf8'), 'changed: by hand\n');
  t.is((await convert(input, out, '--force')).code, 0);
  t.regex(readFileSync(join(out, 'shop/plain.yaml'), 'utf8'), /kind: HTTPRoute/);
  t.is(readFileSync(join(out, 'other.yaml'), 'utf8'), 'kind: Other\n');
});

test('an Ingress may be called as a file of the conversion', async (t) => {
  const tls = { more: { tls: [{ hosts: ['a.test'], secretName: 'web-tls' }] } };
  const names = ['listeners', 'services', 'streams', 'gateway', 'report'];
  const objects = names.map((name, at) =>
    ingress(name, { 'proxy-connect-timeout': '2' }, at === 0 ? tls : { host: `${name}.test` }),
  );
  const { input, out } = foldersOf(t, ...objects);
  await convert(input, out);
  for (const name of names)
    t.regex(
      readFileSync(join(out, `shop/${name}.yaml`), 'utf8'),
      new RegExp(`kind: HTTPRoute\\nmetadata:\\n {2}name: ${name}\\n`),
    );
  t.regex(readFileSync(join(out, 'shop/_listeners.yaml'), 'utf8'), /kind: ListenerSet/);
  t.regex(readFileSync(join(out, 'shop/_services.yaml'), 'utf8'), /kind: BackendPolicy/);
});

test('a list of files that was changed removes nothing outside of the directory', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain'));
  await convert(input, out);
  const outside = join(out, '../outside.yaml');
  writeFileSync(outside, 'mine');
  const digest = 'a'.repeat(64);
  writeFileSync(
    join(out, '.gatewright-migrate'),
    JSON.stringify({ '../outside.yaml': digest, [outside]: digest, 'a/../../outside.yaml': digest }),
  );
  await convert(input, out, '--force');
  t.is(readFileSync(outside, 'utf8'), 'mine');
});

test('what protects and has no word closes its Ingress with exit code 1, unless it is named', async (t) => {
  const { input, out } = foldersOf(t, ingress('guarded', { 'auth-url': 'https://auth.example.com/$arg_x' }));
  const { code, stderr } = await convert(input, out);
  t.is(code, 1);
  t.regex(stderr, /shop\/guarded is not converted: its paths answer 503/);
  const closed = readFileSync(join(out, 'shop/guarded.yaml'), 'utf8');
  t.regex(closed, /^# NOT CONVERTED, all paths answer 503: auth-url\./);
  t.false(closed.includes('backendRefs'));
  t.regex(readFileSync(join(out, 'report.md'), 'utf8'), /## Closed: paths that answer 503\n\n- shop\/guarded: /);
  t.is((await convert(input, out, '--without', 'shop/guarded')).code, 1);
  t.regex(readFileSync(join(out, 'shop/guarded.yaml'), 'utf8'), /backendRefs/);
});

/** An Ingress with a certificate that cert-manager issues. */
const issued = (name: string, annotations: Readonly<Record<string, string>>): object => {
  const host = `${name}.test`;
  const made = ingress(name, {}, { host, more: { tls: [{ hosts: [host], secretName: `${name}-tls` }] } });
  const { metadata } = made as { readonly metadata: object };
  return { ...made, metadata: { ...metadata, annotations } };
};

const certificates = [
  issued('one', {
    'cert-manager.io/cluster-issuer': 'letsencrypt',
    'cert-manager.io/duration': '2160h',
    'cert-manager.io/private-key-algorithm': 'ECDSA',
    'cert-manager.io/private-key-size': '256',
    'cert-manager.io/email-sans': 'a@b.test',
  }),
  issued('two', { 'cert-manager.io/issuer': 'own', 'cert-manager.io/issuer-group': 'pki.test' }),
  issued('plain', { 'cert-manager.io/duration': '1h' }),
];

test('certificates that cert-manager issues become Certificates, of the same Secrets, where that is asked for', async (t) => {
  const { input, out } = foldersOf(t, ...certificates);
  await convert(input, out);
  t.false(existsSync(join(out, 'shop/_certificates.yaml')));
  await convert(input, out, '--certificates', 'explicit');
  const text = readFileSync(join(out, 'shop/_certificates.yaml'), 'utf8');
  t.deepEqual(
    parseAllDocuments(text).map((document) => document.toJS()),
    [
      {
        ...certificate('one-tls'),
        spec: {
          secretName: 'one-tls',
          dnsNames: ['one.test'],
          issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer' },
          duration: '2160h',
          privateKey: { algorithm: 'ECDSA', size: 256 },
        },
      },
      {
        ...certificate('two-tls'),
        spec: {
          secretName: 'two-tls',
          dnsNames: ['two.test'],
          issuerRef: { name: 'own', kind: 'Issuer', group: 'pki.test' },
        },
      },
    ],
  );
  t.regex(text, /# kubectl -n shop patch certificate one-tls --type=json/);
  t.regex(text, /# decision: cert-manager\.io\/email-sans: a@b\.test: write it as a field/);
});

const certificate = (name: string) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name, namespace: 'shop' },
});

test('or annotations of ListenerSets, of which each has the hosts of one issuer', async (t) => {
  const { input, out } = foldersOf(t, ...certificates);
  await convert(input, out, '--certificates', 'annotate');
  const sets = parseAllDocuments(readFileSync(join(out, 'shop/_listeners.yaml'), 'utf8')).map(
    (document) =>
      document.toJS() as {
        readonly metadata: object;
        readonly spec: { readonly listeners: { readonly hostname: string }[] };
      },
  );
  const seen = sets.map(({ metadata, spec }) => [metadata, spec.listeners.map(({ hostname }) => hostname)] as const);
  const at = (name: string) => ({ name, namespace: 'shop' });
  t.deepEqual(
    seen.map(([, hosts]) => hosts),
    [['one.test'], ['plain.test'], ['two.test']],
  );
  t.like(seen[0]?.[0], { ...at('edge'), annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } });
  t.deepEqual(seen[1]?.[0], at('edge-2'));
  t.like(seen[2]?.[0], { ...at('edge-3'), annotations: { 'cert-manager.io/issuer': 'own' } });
});

test('what ingress-nginx takes for granted is written down where that is asked for, and yields to what is said', async (t) => {
  const { input, out } = foldersOf(
    t,
    ingress('plain'),
    ingress(
      'own',
      { 'proxy-body-size': '0', 'proxy-read-timeout': '5', 'proxy-next-upstream': 'off' },
      { host: 'b.test' },
    ),
  );
  const trafficOf = (name: string) =>
    parseAllDocuments(readFileSync(join(out, `shop/${name}.yaml`), 'utf8'))
      .map((document) => document.toJS() as { readonly kind: string; readonly spec: object })
      .find(({ kind }) => kind === 'TrafficPolicy')?.spec;
  await convert(input, out);
  t.is(trafficOf('plain'), undefined);
  t.is((await convert(input, out, '--like', 'nginx')).code, 0);
  t.like(trafficOf('plain'), {
    requestBody: { maxBytes: '1Mi' },
    timeouts: { streamIdle: '60s' },
    retry: { attempts: 2 },
  });
  const own = trafficOf('own') as { readonly requestBody?: object };
  t.is(own.requestBody, undefined);
  t.like(own, { timeouts: { streamIdle: '60s' }, retry: { attempts: 0 } });
  t.regex(readFileSync(join(out, 'report.md'), 'utf8'), /ConfigMap ingress-nginx\/config, 0 keys/);
  t.is((await runCommand(['validate', out, '--no-with-references'])).code, 0);
});

test('what is answered in another way is exit code 1 where that is asked for', async (t) => {
  const { input, out } = foldersOf(t, ingress('cors', { 'enable-cors': 'true' }));
  t.is((await convert(input, out)).code, 0);
  t.is((await convert(input, out, '--strict')).code, 1);
});

test('what is not served today is left out, unless it is asked for', async (t) => {
  const { input, out } = foldersOf(t, ingress('dead', { 'configuration-snippet': 'more_set_headers "a: b";' }));
  t.is((await convert(input, out)).code, 1);
  t.false(existsSync(join(out, 'shop/dead.yaml')));
  t.regex(
    readFileSync(join(out, 'report.md'), 'utf8'),
    /## Left out\n\n- shop\/dead: configuration\\?-snippet is above/,
  );
  await convert(input, out, '--include-dead');
  t.regex(readFileSync(join(out, 'shop/dead.yaml'), 'utf8'), /name: a, value: b/);
});

test('values of users cannot end a comment or begin another object', async (t) => {
  const evil = 'x\n---\nkind: Secret\n# \u2028kind: Role\u0085kind: Role';
  const { input, out } = foldersOf(
    t,
    ingress('evil', { 'upstream-vhost': evil, 'auth-url': `https://e/${evil}`, 'server-alias': evil }),
  );
  await convert(input, out);
  const { code, stdout } = await runCommand(['validate', join(out, 'shop/evil.yaml')]);
  t.is(code, 0, stdout);
  const text = readFileSync(join(out, 'shop/evil.yaml'), 'utf8');
  t.false(/^(?:kind: (?:Secret|Role))/m.test(text));
  t.deepEqual([...new Set(text.match(/^kind: .*/gm))], ['kind: HTTPRoute', 'kind: HTTPFilter']);
});

test('a wrong command line is exit code 2 and writes nothing', async (t) => {
  const { input, out } = foldersOf(t, ingress('plain'));
  for (const wrong of [
    ['--gateway', 'edge'],
    ['--gateway', 'a/B'],
    ['--http-port', '0'],
    ['--https-port', 'x'],
  ]) {
    const { code, stdout } = await runCommand([...args(input, out), ...wrong]);
    t.is(code, 2, wrong.join(' '));
    t.is(stdout, '');
  }
  t.is((await convert(join(out, 'none'), out)).code, 2);
  t.false(existsSync(out));
});
