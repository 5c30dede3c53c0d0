import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { controller, ingress } from '../support/ingress-world.ts';
import { runProgram } from '../support/program.ts';

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
};

function folderOf(t: ExecutionContext, ...objects: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-inventory-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'world.yaml'), objects.map((object) => stringify(object)).join('---\n'));
  return folder;
}

const inventory = (...args: readonly string[]) => runCommand(['migrate', 'inventory', ...args]);

test('the program says how much there is, and what to decide', async (t) => {
  const folder = folderOf(
    t,
    ...controller({ 'use-gzip': 'true', 'proxy-boddy-size': '1m' }),
    service,
    ingress('plain'),
    ingress('cors', { 'enable-cors': 'true' }, { host: 'b.test' }),
    ingress('guarded', { 'auth-url': 'https://auth.example.com/$arg_x' }, { host: 'c.test' }),
  );
  const { code, stdout, stderr } = await runProgram(['migrate', 'inventory', '-f', folder]);
  t.is(code, 1, stderr);
  t.is(
    stdout,
    `ingress-nginx 1.15.1 as ingress-nginx/controller (ConfigMap ingress-nginx/config, 2 keys; 1 flag), class nginx
3 Ingresses · 3 hosts · 0 certificates
  VERDICT      INGRESSES   WHAT
  same                 1   nothing to decide
  differs so           1   1 cors-allow-credentials · 1 enable-cors
  cannot               1   1 auth-url

ConfigMap and flags
  no effect: proxy-boddy-size: ingress-nginx 1.15 does not know it
  same: use-gzip: a TrafficPolicy of the Gateway with compression

shop/cors      differs so   b.test
  differs so: enable-cors: OPTIONS requests that are no preflights reach the backend; preflights are answered 200, not 204
  differs so: cors-allow-credentials: with the origin * it is false here: browsers reject what nginx sends, and would follow what a plain copy sends

shop/guarded   cannot   c.test
  cannot: auth-url: https://auth.example.com/$arg_x: the path has variables, or letters that have no equivalent here
`,
  );
});

test('what many Ingresses have is said once, and what stops a move of each', async (t) => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
    ingress(name, { 'enable-cors': 'true', 'auth-type': 'digest', 'auth-secret': 'x' }, { host: `${name}.test` }),
  );
  const folder = folderOf(t, ...controller(), service, ...many);
  const { stdout } = await inventory('-f', folder);
  t.regex(
    stdout,
    /\nwhat many Ingresses have\n {2}differs so: enable-cors: .*\n {4}6 Ingresses: shop\/a, shop\/b, shop\/c, shop\/d, shop\/e and 1 more\n/,
  );
  t.is((stdout.match(/enable-cors: OPTIONS/g) ?? []).length, 1);
  t.true((stdout.match(/ {2}cannot: /g) ?? []).length >= 6);
  for (const format of ['markdown', 'html']) {
    const text = (await inventory('-f', folder, '-o', format)).stdout;
    t.is((text.match(/OPTIONS requests that are no preflights/g) ?? []).length, 1, format);
    t.regex(text, /shop\/a, shop\/b, shop\/c, shop\/d, shop\/e, shop\/f/, 'all of them in a file');
  }
});

test('nothing to decide is exit code 0, and what could not be read is 2', async (t) => {
  const folder = folderOf(t, ...controller(), service, ingress('plain'));
  t.is((await inventory('-f', folder)).code, 0);
  writeFileSync(join(folder, 'broken.yaml'), 'a: [1\nb: 2');
  const broken = await inventory('-f', folder);
  t.is(broken.code, 2);
  t.regex(broken.stdout, /could not be read\n {2}.*broken\.yaml:\d+:\d+: error: not valid YAML/);
  t.regex(broken.stdout, /1 Ingress · 1 host/);
  const missing = await inventory('-f', join(folder, 'none'));
  t.is(missing.code, 2);
  t.is(missing.stdout, '');
});

test('without a controller, or of another class, the person hears what to name', async (t) => {
  const folder = folderOf(t, service, ingress('plain'));
  t.regex((await inventory('-f', folder)).stderr, /name the class with --class and the ConfigMap with --configmap/);
  const { stderr, stdout } = await inventory('-f', folder, '--class', 'other');
  t.regex(stderr, /none of 1 Ingresses is of class other/);
  t.regex(stdout, /0 Ingresses/);
});

test('hosts are counted by name, as the plan of the move counts them, and Secrets that are named', async (t) => {
  const folder = folderOf(
    t,
    ...controller(),
    service,
    ingress('one', {}, { more: { tls: [{ hosts: ['a.test'] }, { hosts: ['b.test'], secretName: 'b' }] } }),
    ingress('two', {}, { host: '' }),
    ingress(
      'three',
      {},
      { host: 'b.test', more: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
    ),
  );
  const { stdout } = await inventory('-f', folder);
  t.regex(stdout, /^3 Ingresses · 2 hosts and all others · 1 certificate$/m);
  const plan = await runCommand(['migrate', 'shift', '--plan', '-f', folder]);
  t.regex(plan.stdout, /^3 Ingresses, 2 hosts, /m);
  const { ingresses } = JSON.parse((await inventory('-f', folder, '-o', 'json')).stdout);
  t.deepEqual(
    ingresses.map(({ ingress: key, hosts }: { ingress: string; hosts: string[] }) => [key, hosts]),
    [
      ['shop/one', ['a.test']],
      ['shop/three', ['b.test']],
      ['shop/two', ['*']],
    ],
  );
});

test('JSON, Markdown and HTML have the same, and what users wrote is text in each', async (t) => {
  const mark = '<script>alert(1)</script> | `x` [a](javascript:b) \u001b[31m';
  const folder = folderOf(
    t,
    ...controller(),
    service,
    ingress('odd', { 'auth-url': `https://x/?${mark}`, 'upstream-vhost': mark }),
  );
  const json = JSON.parse((await inventory('-f', folder, '-o', 'json')).stdout);
  t.like(json, {
    version: 1,
    counts: { ingresses: 1, hosts: 1 },
    ingresses: [{ ingress: 'shop/odd', hosts: ['a.test'] }],
  });
  t.true(JSON.stringify(json).includes('<script>'));
  const html = (await inventory('-f', folder, '-o', 'html')).stdout;
  t.false(html.includes('<script'));
  t.regex(html, /&lt;script&gt;/);
  const markdown = (await inventory('-f', folder, '-o', 'markdown')).stdout;
  t.false(/(?<!\\)<script|(?<!\\)\[a\]/.test(markdown));
  const text = (await inventory('-f', folder)).stdout;
  t.false(text.includes('\u001b'));
});

test('hostile files are read in time, and cost no other Ingress its line', async (t) => {
  const long = 'x'.repeat(200_000);
  const folder = folderOf(
    t,
    ...controller(),
    service,
    ingress('plain'),
    ingress('snippet', { 'configuration-snippet': '{"'.repeat(100_000) }, { host: 'b.test' }),
    ingress('list', { 'whitelist-source-range': '10.0.0.1/8,'.repeat(20_000) }, { host: 'c.test' }),
    ingress(
      'names',
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`__proto__${at}`, long.slice(0, 100)])),
      { host: 'd.test' },
    ),
    ingress('regex', { 'use-regex': 'true' }, { host: 'e.test', paths: [`/${'(a*)*'.repeat(50)}b`, '/('] }),
    ingress(
      'long',
      { 'server-alias': long, 'auth-realm': long, 'auth-type': 'basic', 'auth-secret': '../../x' },
      { host: 'f.test' },
    ),
    { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'shape' }, spec: { rules: 'none' } },
    { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: ['x'] }, spec: null },
  );
  const { code, stdout } = await inventory('-f', folder, '-o', 'json');
  t.is(code, 2);
  const { ingresses, unread } = JSON.parse(stdout) as {
    ingresses: { ingress: string; verdict: string }[];
    unread: string[];
  };
  t.deepEqual(
    ingresses.map((row) => row.ingress),
    ['list', 'long', 'names', 'plain', 'regex', 'snippet'].map((name) => `shop/${name}`),
  );
  t.is(ingresses.find((row) => row.ingress === 'shop/plain')?.verdict, 'same');
  t.true(unread.some((line) => line.includes('spec.rules')));
});
