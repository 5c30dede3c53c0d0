import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { extract } from 'tar';
import { freePort } from '../../scripts/free-port.ts';
import { helmPath, root, versions } from '../../scripts/paths.mjs';
import { digestOf } from '../../scripts/release/archive.ts';
import { makeRelease } from '../../scripts/release.ts';
import { endings } from '../support/endings.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// What `npm run release` makes is used as strangers do: by npm, helm, sha256sum and openssl, the program as one file in an empty home, and images by what runs them.

interface World {
  readonly directory: string;
  readonly out: string;
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const run = promisify(execFile);
const image = 'registry.example.com/tools/gatewright';
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};
const { version } = manifest;

test.before(async (t) => {
  t.timeout(600_000);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-release-test-'));
  all.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const key = join(directory, 'key.pem');
  await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
  const out = join(directory, 'dist');
  await makeRelease({ out, image, key, withImages: true });
  t.context = { directory, out };
});

test('checksums fit, and their signature is that of the key', async (t) => {
  const { directory, out } = t.context;
  await t.notThrowsAsync(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }));
  const parts = ['-pubin', '-inkey', 'release-key.pem', '-rawin', '-sigfile', 'SHA256SUMS.sig'];
  const { stdout } = await run('openssl', ['pkeyutl', '-verify', ...parts, '-in', 'SHA256SUMS'], { cwd: out });
  t.regex(stdout, /Verified Successfully/);
  const changed = join(directory, 'changed');
  writeFileSync(changed, readFileSync(join(out, 'SHA256SUMS')));
  appendFileSync(changed, '\n');
  await t.throwsAsync(run('openssl', ['pkeyutl', '-verify', ...parts, '-in', changed], { cwd: out }));
});

test('the provenance names the commit, and each file by its digest', (t) => {
  const { out } = t.context;
  const envelope = JSON.parse(readFileSync(join(out, 'provenance.json'), 'utf8')) as { readonly payload: string };
  const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as {
    readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
    readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly object[] } };
  };
  const sums = statement.subject.map(({ name, digest }) => `${digest.sha256}  ${name}\n`).join('');
  t.is(sums, readFileSync(join(out, 'SHA256SUMS'), 'utf8'));
  t.regex(JSON.stringify(statement.predicate.buildDefinition.resolvedDependencies), /"gitCommit":"[0-9a-f]{40}"/);
});

test('the same sources make the same bytes', async (t) => {
  t.timeout(600_000);
  const { directory, out } = t.context;
  const again = join(directory, 'again');
  await makeRelease({ out: again, image, withImages: false });
  const isForMachine = (line: string) => line.includes('images/') || line.includes('bin/');
  const withoutImages = (sums: string) => sums.split('\n').filter((line) => !isForMachine(line));
  const sumsOf = (folder: string) => withoutImages(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
  t.deepEqual(sumsOf(again), sumsOf(out));
});

test('charts and the manifest name the image where it is', async (t) => {
  const { directory, out } = t.context;
  const env = { PATH: process.env.PATH, HOME: directory, HELM_NO_PLUGINS: '1' };
  const chart = join(out, `helm/gatewright-${version}.tgz`);
  const { stdout } = await run(helmPath(), ['template', 'edge', chart], { env, maxBuffer: 64 * 1024 * 1024 });
  t.true(stdout.includes(`image: ${image}:${version}`));
  const definitions = join(out, `helm/gatewright-crds-${version}.tgz`);
  const rendered = await run(helmPath(), ['template', 'crds', definitions], { env, maxBuffer: 64 * 1024 * 1024 });
  t.regex(rendered.stdout, /kind: CustomResourceDefinition/);
  const installed = readFileSync(join(out, 'install.yaml'), 'utf8');
  t.true(installed.includes(`image: ${image}:${version}`));
  t.notRegex(installed, /[ "]gatewright:\d/, 'no image without its registry is left');
});

test('the npm package is installed from its file, and is what was released', async (t) => {
  t.timeout(600_000);
  const { directory, out } = t.context;
  const prefix = join(directory, 'prefix');
  // Without the Node of the package: this process has the same one.
  const options = ['--global', `--prefix=${prefix}`, '--omit=optional', '--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, join(out, `npm/gatewright-${version}.tgz`)], { cwd: directory });
  const program = join(prefix, 'lib/node_modules/gatewright/bin/gatewright.js');
  t.is((await run(process.execPath, [program, 'version'])).stdout.trim(), version);
});

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

const blobOf = (layout: string, { digest }: Descriptor): string => join(layout, 'blobs', digest.replace(':', '/'));
const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

/** Unpacks an image as a container engine does, and compares every digest and size on the way. */
async function unpack(t: { readonly is: (a: unknown, b: unknown) => unknown }, file: string, directory: string) {
  const [layout, target] = [join(directory, 'layout'), join(directory, 'root')];
  for (const folder of [layout, target]) mkdirSync(folder, { recursive: true });
  await extract({ file, cwd: layout });
  const index = read<{ readonly manifests: readonly [Descriptor] }>(join(layout, 'index.json'));
  const [described] = index.manifests;
  const { config, layers } = read<{ readonly config: Descriptor; readonly layers: readonly Descriptor[] }>(
    blobOf(layout, described),
  );
  for (const each of [described, config, ...layers]) {
    t.is(`sha256:${await digestOf(blobOf(layout, each))}`, each.digest);
    t.is(readFileSync(blobOf(layout, each)).length, each.size);
  }
  for (const layer of layers) await extract({ file: blobOf(layout, layer), cwd: target });
  return { target, digest: described.digest, config: read<Record<string, never>>(blobOf(layout, config)) };
}

test('images are OCI archives whose program runs with what is in them', async (t) => {
  t.timeout(600_000);
  const { directory, out } = t.context;
  const digests = readFileSync(join(out, 'images/DIGESTS'), 'utf8');
  for (const [name, hasEnvoy] of [
    ['gatewright', true],
    ['gatewright-control', false],
  ] as const) {
    const [file = ''] = globSync(`${name}-${version}-linux-*.tar`, { cwd: join(out, 'images') });
    const { target, digest, config } = await unpack(t, join(out, 'images', file), join(directory, name));
    t.true(digests.includes(`${digest}  ${file}\n`));
    t.like(config, { os: 'linux', config: { User: '65532:65532', Cmd: ['control-plane'] } });
    t.is(existsSync(join(target, 'usr/local/bin/envoy')), hasEnvoy);
    // With the image's own loader and libraries: nothing of this machine is needed.
    const [loader = ''] = globSync('lib*/**/ld-linux-*', { cwd: target });
    const libraries = [...new Set(globSync('**/*.so*', { cwd: target }).map((path) => join(target, path, '..')))];
    const program = ['--library-path', libraries.join(':'), join(target, 'usr/bin/node')];
    const { stdout } = await run(join(target, loader), [...program, join(target, 'app/bin/gatewright.js'), 'version']);
    t.is(stdout.trim(), version);
  }
});

/** The unpacked archive with the program as one file, and a home that nothing has used. */
async function oneFile({ directory, out }: World, name: string) {
  const folder = join(directory, name);
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const [file = ''] = globSync(`gatewright-${version}-linux-*.tar.gz`, { cwd: join(out, 'bin') });
  await extract({ file: join(out, 'bin', file), cwd: folder });
  // Nothing of this machine: neither a Node nor an Envoy.
  return { gatewright: join(folder, 'gatewright/gatewright'), home, env: { HOME: home, PATH: '/nonexistent' } };
}

test('the program as one file serves a gateway with the Envoy beside it, and nothing else', async (t) => {
  t.timeout(600_000);
  const { gatewright, home, env } = await oneFile(t.context, 'serving');
  const [port, admin, second, metrics, xds, envoyAdmin] = await Promise.all(Array.from({ length: 6 }, freePort));
  const at = (each: number | undefined): string => `127.0.0.1:${each}`;
  const answer = { type: 'RequestRedirect', requestRedirect: { statusCode: 302, hostname: 'served.test' } };
  const objects = [...gatewayObjects(port ?? 0), routeObject('one', 'one.test', [{ filters: [answer] }])];
  const files = join(home, 'objects');
  mkdirSync(files);
  writeFileSync(join(files, 'all.yaml'), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const config = {
    xds: { listen: at(xds) },
    admin: { listen: at(admin), layout2Listen: at(second) },
    metrics: { listen: at(metrics) },
    dataplane: { adminListen: at(envoyAdmin) },
  };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config));
  const args = ['run', '-f', files, '--config', join(home, 'config.yaml')];
  const child = spawn(gatewright, args, { env, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  t.teardown(() => {
    child.kill('SIGTERM');
    return ended;
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const asked = async () => (await request(`http://${at(port)}/`, { headers: { host: 'one.test' } })).status;
  await untilFits(
    'the gateway to serve',
    () => asked().catch(() => errors),
    (status) => status === 302,
  );
  const page = await request(`http://${at(admin)}/`);
  t.is(page.status, 200);
  t.regex(await page.text(), /<title>Gatewright/);
});

test('processes that unpack the program at the same time leave one copy, which is the user’s alone', async (t) => {
  const { gatewright, home, env } = await oneFile(t.context, 'together');
  const versions = await Promise.all(Array.from({ length: 3 }, () => run(gatewright, ['version'], { env })));
  t.deepEqual(
    versions.map(({ stdout }) => stdout.trim()),
    [version, version, version],
  );
  const programs = join(home, '.cache/gatewright/program');
  t.is(readdirSync(programs).length, 1);
  t.is(statSync(programs).mode & 0o777, 0o700);
});

test('the program as one file runs no code that others may have written', async (t) => {
  const { gatewright, home, env } = await oneFile(t.context, 'planted');
  const programs = join(home, '.cache/gatewright/program');
  mkdirSync(programs, { recursive: true });
  chmodSync(programs, 0o777);
  const error = await t.throwsAsync(run(gatewright, ['version'], { env }));
  t.regex(
    error?.message ?? '',
    /gatewright\/program: it belongs to another user, or others may write to it; remove it/,
  );
});

test('the program as one file runs without a home', async (t) => {
  const { gatewright, env } = await oneFile(t.context, 'homeless');
  const scratch = join(t.context.directory, 'scratch');
  mkdirSync(scratch);
  const { stdout } = await run(gatewright, ['version'], { env: { ...env, HOME: '/dev/null', TMPDIR: scratch } });
  t.is(stdout.trim(), version);
  t.deepEqual(readdirSync(scratch), [], 'what was unpacked for this run is gone');
});

test('the bill of materials and the licenses have every package of the program, Envoy and Node', (t) => {
  const { out } = t.context;
  const bill = read<{ readonly components: readonly { readonly name: string; readonly version: string }[] }>(
    join(out, 'sbom.cdx.json'),
  );
  const listed = new Map(bill.components.map((component) => [component.name, component.version]));
  const licenses = readFileSync(join(out, 'LICENSES.md'), 'utf8');
  for (const [name, wanted] of Object.entries(manifest.dependencies)) {
    t.is(listed.get(name), wanted, name);
    t.true(licenses.includes(`## ${name} ${wanted}\n`), name);
  }
  t.is(listed.get('envoy'), versions.ENVOY);
  t.true(listed.has('node'));
  t.false(listed.has('ava'), 'what only tests need is not shipped');
});

test('notes are those of the version', (t) => {
  t.regex(readFileSync(join(t.context.out, 'NOTES.md'), 'utf8'), new RegExp(`^## ${version.replaceAll('.', '\\.')} `));
});

test('a key of another type is rejected before anything is made', async (t) => {
  const { directory } = t.context;
  const key = join(directory, 'rsa.pem');
  await run('openssl', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', key]);
  const out = join(directory, 'none');
  const error = await t.throwsAsync(makeRelease({ out, image, key, withImages: false }));
  t.regex(error?.message ?? '', /rsa\.pem: the key is of type rsa; make one by openssl genpkey -algorithm ed25519/);
  t.false(existsSync(out));
});
