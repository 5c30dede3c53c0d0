import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { bundle } from '../../scripts/bundle.ts';
import { freePort } from '../../scripts/free-port.ts';
import { envoyPath, root } from '../../scripts/paths.mjs';
import { endings } from '../support/endings.ts';
import { send, startBackend } from '../support/http.ts';
import { anywhere, fileFor } from '../support/program.ts';
import { request } from '../support/request.ts';
import { untilFits } from '../support/until.ts';
import { Valkey } from '../support/valkey.ts';

// As a user with a clone would install it, with the machine's own Node and npm: those of node_modules are not on PATH.

interface World {
  /** The command that npm has installed. */
  readonly gatewright: string;
  readonly prefix: string;
  readonly env: NodeJS.ProcessEnv;
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const run = promisify(execFile);

const ownPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

test.before(async (t) => {
  t.timeout(600_000);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-package-'));
  all.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const app = join(directory, 'app');
  const prefix = join(directory, 'prefix');
  // No cache of the set-up: what the package needs it has.
  const env = {
    PATH: ownPath,
    HOME: process.env.HOME,
    GATEWRIGHT_CACHE: join(directory, 'cache'),
    ENVOY_PATH: envoyPath(),
  };
  await bundle(app);
  const options = ['--global', '--install-links', `--prefix=${prefix}`, '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, app], { env, cwd: directory });
  t.context = { gatewright: join(prefix, 'bin/gatewright'), prefix, env };
});

/** A copy of an example whose ports are these. */
function copyOf(example: string, ports: ReadonlyMap<number, number>): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-example-'));
  all.teardown(() => rmSync(directory, { recursive: true, force: true }));
  for (const file of readdirSync(join(root, 'examples', example)).filter((name) => name.endsWith('.yaml'))) {
    let text = readFileSync(join(root, 'examples', example, file), 'utf8');
    for (const [from, to] of ports) text = text.replaceAll(`port: ${from}`, `port: ${to}`);
    writeFileSync(join(directory, file), text);
  }
  return directory;
}

test('the package prints its version and checks files', async (t) => {
  const { gatewright, env } = t.context;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  t.log(`node ${(await run('node', ['--version'], { env })).stdout.trim()}`);
  t.is((await run(gatewright, ['version'], { env })).stdout.trim(), version);
  t.regex(
    (await run(gatewright, ['validate', join(root, 'examples/quickstart')], { env })).stdout,
    /0 errors, 0 warnings/,
  );
  const wrong = fileFor(t, 'apiVersion: v1\nkind: Service\nmetadata: {name: UPPER}\nspec: {ports: [{port: 80}]}\n');
  const failed = await run(gatewright, ['validate', wrong], { env }).catch(
    (error) => error as { readonly code: number },
  );
  t.is('code' in failed && failed.code, 1, 'its exit code is that of the program');
});

test('the package runs an example, and SIGTERM ends all of it', async (t) => {
  const { gatewright, env } = t.context;
  const [listener, backend] = [await freePort(), await startBackend(all)];
  const directory = copyOf(
    'quickstart',
    new Map([
      [8080, listener],
      [9001, backend.port],
      [9002, backend.port],
    ]),
  );
  const config = fileFor(t, `${anywhere}dataplane: {adminListen: "127.0.0.1:0"}\n`);
  const child = spawn(gatewright, ['run', '-f', directory, '--config', config], { env, stdio: 'ignore' });
  all.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const answer = () => send(listener, { host: 'hello.localhost' }).catch(() => undefined);
  await untilFits('an answer', answer, (found) => found?.status === 200);
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  t.deepEqual([code, signal], [0, null]);
  t.is(await answer(), undefined, 'no process is left that serves');
});

test('the package keeps shared rate limits in Valkey, whose client it loads only then', async (t) => {
  const { gatewright, env } = t.context;
  const valkey = await Valkey.start(all);
  const [metrics, ...ports] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const [xds, admin, layout2] = ports.map((port) => `127.0.0.1:${port}`);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-valkey-'));
  all.teardown(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'objects'));
  const config = {
    source: { directory: join(directory, 'objects') },
    state: { directory: join(directory, 'state') },
    xds: { listen: xds, insecure: true },
    admin: { listen: admin, layout2Listen: layout2 },
    metrics: { listen: `127.0.0.1:${metrics}` },
    rateLimits: { valkey: { url: valkey.url } },
  };
  const file = fileFor(t, JSON.stringify(config));
  const child = spawn(gatewright, ['control-plane', '--config', file], { env, stdio: 'ignore' });
  all.teardown(() => child.kill('SIGKILL'));
  const connected = /gatewright_shared_limit_store_connected (\d)/;
  const look = async () => connected.exec(await (await request(`http://127.0.0.1:${metrics}/metrics`)).text())?.[1];
  await untilFits('a connection', look, (found) => found === '1');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
});

test('without a Node that is new enough the package says what to do', async (t) => {
  const { env, prefix } = t.context;
  const { stdout } = await run('node', ['-p', 'process.versions.node'], { env });
  if (Number.parseInt(stdout, 10) >= 24) {
    t.pass("the machine's own Node is new enough");
    return;
  }
  const alone = mkdtempSync(join(tmpdir(), 'gatewright-alone-'));
  all.teardown(() => rmSync(alone, { recursive: true, force: true }));
  mkdirSync(join(alone, 'bin'));
  for (const file of ['bin/launch.mjs', 'bin/gatewright.js', 'package.json'])
    copyFileSync(join(prefix, 'lib/node_modules/gatewright', file), join(alone, file));
  const failed = await run('node', [join(alone, 'bin/launch.mjs'), 'version'], { env }).catch(
    (error) => error as { readonly code: number; readonly stderr: string },
  );
  t.is('code' in failed && failed.code, 1);
  t.regex(failed.stderr, /^gatewright needs Node 24 or newer; this is .* install gatewright without --omit=optional/);
});
