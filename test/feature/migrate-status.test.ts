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

/** A move of Ingresses in files: what is written last is what there is. */
function moveOf(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-status-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [input, out] = [join(folder, 'world.yaml'), join(folder, 'out')];
  const status = ['migrate', 'status', '-f', input, out];
  return {
    status,
    write: (...objects: readonly object[]) =>
      writeFileSync(input, [...controller(), service, ...objects].map((object) => stringify(object)).join('---\n')),
    convert: () => runCommand(['migrate', 'convert', '-f', input, '--gateway', 'infra/edge', '--out', out, '--force']),
    read: () => runCommand(status),
  };
}

test('the program says how far a move is', async (t) => {
  const { write, convert, status } = moveOf(t);
  const dead = ingress('dead', { 'configuration-snippet': 'more_set_headers "a: b";' }, { host: 'd.test' });
  const done = ingress('done');
  write(done, ingress('moves', {}, { host: 'c.test' }), dead, ingress('leaves', {}, { host: 'e.test' }));
  await convert();
  write(
    done,
    ingress('moves', { 'proxy-body-size': '2m' }, { host: 'c.test' }),
    dead,
    ingress('new', {}, { host: 'f.test' }),
  );
  const { code, stdout, stderr } = await runProgram(status);
  t.is(code, 1, stderr);
  t.is(
    stdout,
    `4 Ingresses: 1 converted, 1 changed, 1 not converted, 1 not served today
  shop/dead    not served today: configuration-snippet is above annotations-risk-level
  shop/moves   changed: it has changed since its conversion: convert it again
  shop/new     not converted: no route was made from it

routes whose Ingress is gone, which serve on
  shop/leaves
`,
  );
});

test('a move that is done is exit code 0; what says the same in another order is no change', async (t) => {
  const { write, convert, read } = moveOf(t);
  const made = ingress('done', { 'proxy-body-size': '2m', 'proxy-read-timeout': '5' }) as {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    readonly spec: object;
  };
  const canary = ingress('canary', { canary: 'true', 'canary-weight': '5' }, { service: 'next' });
  write(made, canary);
  await convert();
  t.is((await read()).code, 0);
  const annotations = {
    ...Object.fromEntries(Object.entries(made.metadata.annotations).reverse()),
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const metadata = { ...made.metadata, resourceVersion: '77', generation: 3, annotations };
  write({ ...made, metadata, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }, canary);
  const { code, stdout } = await read();
  t.is(code, 0, stdout);
  t.is(stdout, '2 Ingresses: 2 converted\n');
});

test('of a host with a certificate each route is named', async (t) => {
  const { write, convert, status } = moveOf(t);
  write(ingress('secure', {}, { more: { tls: [{ hosts: ['a.test'], secretName: 'tls' }] } }));
  await convert();
  const found = JSON.parse((await runCommand([...status, '-o', 'json'])).stdout);
  t.like(found, { version: 1, counts: { converted: 1 }, certificates: null, gone: [], unread: [] });
  t.deepEqual(found.ingresses[0].routes, ['secure', 'secure-to-https']);
});

test('an Ingress whose name would end a line, or be a field, is one line of text', async (t) => {
  const { write, read } = moveOf(t);
  write(ingress('a\nb', {}, { host: 'x.test' }), ingress('__proto__', {}, { host: 'y.test' }));
  const { stdout } = await read();
  t.notRegex(stdout, /^b/m);
});
