import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { runCommand } from '../support/command.ts';
import { gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { programFile } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
  t.context.build(
    gatewayClass(),
    gateway('edge'),
    service('web'),
    httpRoute('shop', { hostnames: ['a.test'] }),
    httpRoute('shipping', { hostnames: ['b.test'] }),
    httpRoute('shadow', { hostnames: ['c.test'] }, { namespace: 'other' }),
  );
  t.context.nodes.set('n1', nodeView('n1', {}));
});
test.afterEach.always((t) => t.context.close());

const urlOf = ({ ports }: TestAdmin) => `http://127.0.0.1:${ports.layout1}`;

/** Of names that are there: on a busy machine they may come late. */
const patience = { GATEWRIGHT_COMPLETION_TIMEOUT: '10m' };

const offered = async (server: string, words: readonly string[], env: NodeJS.ProcessEnv = patience) => {
  const { code, stdout, stderr } = await runCommand(['__complete', '--', ...words], {
    ...env,
    GATEWRIGHT_SERVER: server,
  });
  return { code, stderr, words: stdout.split('\n').slice(0, -1) };
};

test('each argument completes to what a command takes there', async (t) => {
  const of = async (...words: string[]) => (await offered(urlOf(t.context), words)).words;
  t.deepEqual(await of('describe', 'route', 'sh'), ['shadow', 'shipping', 'shop']);
  t.deepEqual(await of('describe', 'route', 'default/'), ['default/shipping', 'default/shop']);
  t.deepEqual(await of('describe', 'route/sho'), ['route/shop']);
  t.deepEqual(await of('describe', 'httproute', '-n', 'other', ''), ['shadow']);
  t.deepEqual(await of('get', 'route', 'shi'), ['shipping']);
  t.deepEqual(await of('get', 'gat'), ['gateways']);
  t.deepEqual(await of('logs', 'shop'), ['shop']);
  t.deepEqual(await of('logs', '-n', 'o'), ['other']);
  t.deepEqual(await of('route-test', '--gateway', ''), ['default/edge']);
  t.deepEqual(await of('route-test', '--gateway=d'), ['default/edge']);
  t.deepEqual(await of('dump', ''), ['n1']);
  t.deepEqual(await of('nodes', '--clear', 'n'), ['n1']);
  t.deepEqual(await of('explain', 'BackendNot'), ['BackendNotFound']);
  t.deepEqual(await of('config', 'c'), ['check']);
  t.deepEqual(await of('translate', '--to', 'e'), ['envoy']);
  t.deepEqual(await of('top', 'no'), ['nodes']);
  t.deepEqual(await of('validate', 'x'), [':files']);
  t.deepEqual(await of('diff', '-f', 'a.yaml', 'b'), [':files']);
  t.deepEqual(await of('describe', 'nonsense', 'x'), []);
  t.deepEqual(await of('status', ''), []);
});

interface Served {
  readonly url: string;
  /** Also those that come later: a client may not have connected yet. */
  closeConnections(): void;
}

async function serve(t: ExecutionContext<TestAdmin>, answer: RequestListener): Promise<Served> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeConnections() {
      server.on('connection', (socket) => socket.destroy());
      server.closeAllConnections();
    },
  };
}

/** An admin API that answers whatever it likes; gives its address. */
const lyingServer = async (t: ExecutionContext<TestAdmin>, body: string): Promise<string> =>
  (await serve(t, (_, response) => response.setHeader('content-type', 'application/json').end(body))).url;
/** One that never answers. */
const muteServer = (t: ExecutionContext<TestAdmin>) => serve(t, () => {});

test('no more than 200 names are offered', async (t) => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    kind: 'HTTPRoute',
    namespace: 'default',
    name: `r${index}`,
  }));
  const { words } = await offered(await lyingServer(t, JSON.stringify(rows)), ['describe', 'route', 'r']);
  t.is(words.length, 200);
});

thorough(test)('a control plane that is away, lies or never answers leaves the line as it is', async (t) => {
  const silent = { code: 0, stderr: '', words: [] };
  const words = ['describe', 'route', ''];
  for (const body of ['no JSON', '{"a": 1}', '[{"name": 1}, null]', '[]'])
    t.deepEqual(await offered(await lyingServer(t, body), words), silent, body);
  t.deepEqual(await offered('http://127.0.0.1:1', words), silent);
  t.deepEqual(await offered('no url at all', words), silent);
  for (const limit of ['a while', '', '10ms']) {
    const mute = await muteServer(t);
    // A command waits for ten times as long, so it ends only by the lost connection.
    const command = runCommand(['get', 'routes'], { GATEWRIGHT_SERVER: mute.url });
    const completion = offered(mute.url, words, { GATEWRIGHT_COMPLETION_TIMEOUT: limit });
    t.is(await Promise.race([completion, command]), await completion, limit);
    t.deepEqual(await completion, silent);
    mute.closeConnections();
    t.is((await command).code, 2);
  }
});

/** The program on a PATH of its own, as an install has it, and a script of a shell that uses it. */
async function inShell(t: ExecutionContext<TestAdmin>, shell: string, script: string, server: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-completion-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'gatewright');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${programFile}' "$@"\n`);
  chmodSync(file, 0o755);
  const env = {
    ...process.env,
    ...patience,
    GATEWRIGHT_SERVER: server,
    PATH: `${directory}:${process.env.PATH}`,
    HOME: directory,
  };
  const { stdout, stderr } = await promisify(execFile)(shell, ['-c', script], { env, cwd: directory });
  t.is(stderr, '');
  return stdout;
}

/** Bash's own reading of a line with the cursor at its end, as a TAB has it: words break at `=` and `:`, too. */
const bashTab = (line: string, words: readonly string[]): string => `
  eval "$(gatewright completion bash)"
  COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
  _gatewright
  printf '%s\\n' "\${COMPREPLY[@]}"`;

thorough(test)('bash completes commands, options and names with the script that is printed', async (t) => {
  const tab = async (line: string, words = line.split(' ')) =>
    (await inShell(t, 'bash', bashTab(line, words), urlOf(t.context))).trim().split('\n');
  t.deepEqual(await tab('gatewright desc'), ['describe']);
  t.deepEqual(await tab('gatewright sync --tim'), ['--timeout']);
  t.deepEqual(await tab('gatewright describe route sh'), ['shadow', 'shipping', 'shop']);
  t.deepEqual(await tab('gatewright get route '), ['shadow', 'shipping', 'shop']);
  const server = urlOf(t.context).split(/(:)/);
  t.deepEqual(
    await tab(`gatewright logs --server ${server.join('')} shi`, ['gatewright', 'logs', '--server', ...server, 'shi']),
    ['shipping'],
  );
  t.deepEqual(await tab('gatewright route-test --gateway=d', ['gatewright', 'route-test', '--gateway', '=', 'd']), [
    'default/edge',
  ]);
});

test('a name that a server made up is never run by the shell', async (t) => {
  const names = ['$(touch hit)', '`touch hit`', 'a;touch hit', 'a\ntouch hit', '-rf', '\u001b[2J', '../*', 'good'];
  const rows = names.map((name) => ({ kind: 'HTTPRoute', namespace: 'default', name }));
  const server = await lyingServer(t, JSON.stringify(rows));
  const line = 'gatewright describe route ';
  const script = `${bashTab(line, line.split(' '))}\nls hit 2> /dev/null || true`;
  t.is(await inShell(t, 'bash', script, server), 'good\n');
});

for (const [shell, script] of [
  ['fish', 'gatewright completion fish | source; complete -C "gatewright describe route sh"'],
  ['zsh', 'autoload -U compinit && compinit -u -D; eval "$(gatewright completion zsh)" && whence -w _gatewright'],
] as const) {
  const isInstalled = (process.env.PATH ?? '').split(':').some((each) => existsSync(join(each, shell)));
  (isInstalled ? test : test.skip)(`${shell} takes the script that is printed`, async (t) => {
    const stdout = await inShell(t, shell, script, urlOf(t.context));
    t.is(stdout, shell === 'fish' ? 'shadow\nshipping\nshop\n' : '_gatewright: function\n');
  });
}
