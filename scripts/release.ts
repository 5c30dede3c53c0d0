/**
 * Makes everything that a release consists of: the npm package, the program as one file, charts, the one-file manifest, the documentation site, images as OCI archives, a bill of materials,
 * licenses, notes, checksums and a provenance statement; with a key, signatures. The same commit makes the same bytes on the same kind of machine.
 * usage: node scripts/release.ts [--out dist] [--image REPOSITORY] [--key FILE] [--no-images]
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { makeImageRoot } from './image.ts';
import { root } from './paths.mjs';
import { archive, digestOf, filesBelow } from './release/archive.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { packConformance } from './release/conformance.ts';
import { packExecutable } from './release/executable.ts';
import { packInferenceConformance } from './release/inference-conformance.ts';
import { licenseReport } from './release/licenses.ts';
import { architecture, writeImage } from './release/oci-image.ts';
import { envelopeOf, publicKeyOf, signatureOf, signingKey } from './release/signed.ts';
import { notesOf, type Sources, sourcesOf, statementOf } from './release/sources.ts';
import { run } from './setup/run.mjs';
import { makeSite } from './site.ts';

export interface ReleaseOptions {
  /** A folder, which is emptied first. */
  readonly out: string;
  /** Where the image is, without its tag: `registry.example.com/gatewright`. */
  readonly image: string;
  /** A file with the key that signs. */
  readonly key?: string | undefined;
  readonly withImages: boolean;
}

/** Fills `out`, and resolves with what it holds: paths below it. */
export async function makeRelease({ out, image, key, withImages }: ReleaseOptions): Promise<readonly string[]> {
  const signer = key === undefined ? undefined : await signingKey(key);
  const sources = await sourcesOf();
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'gatewright-release-'));
  try {
    await writeFile(join(out, 'NOTES.md'), await notesOf(sources.version));
    await writeFile(join(out, 'LICENSES.md'), `${await licenseReport()}\n`);
    await writeFile(join(out, 'sbom.cdx.json'), await billOfMaterials(sources.taken));
    await packProgram(out, scratch);
    await packCharts(out, scratch, sources, image);
    await writeManifest(out, sources, image);
    await packSite(out, scratch, sources);
    await packConformance(join(out, 'conformance'));
    await packInferenceConformance(join(out, 'conformance-inference'));
    if (withImages) {
      await packImages(out, scratch, sources);
      await packOneFile(out, scratch, sources);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const subjects = await subjectsIn(out);
  const sums = subjects.map(({ name, digest }) => `${digest}  ${name}\n`).join('');
  const statement = statementOf(subjects, sources, { image, isChanged: sources.isChanged });
  await writeFile(join(out, 'SHA256SUMS'), sums);
  await writeFile(
    join(out, 'provenance.json'),
    `${JSON.stringify(signer ? envelopeOf(statement, signer) : statement)}\n`,
  );
  if (signer !== undefined) {
    await writeFile(join(out, 'SHA256SUMS.sig'), signatureOf(sums, signer));
    await writeFile(join(out, 'release-key.pem'), publicKeyOf(signer));
  }
  return await filesIn(out);
}

async function packProgram(out: string, scratch: string): Promise<void> {
  const app = join(scratch, 'app');
  await bundle(app);
  await mkdir(join(out, 'npm'));
  await run('npm', ['pack', '--silent', `--pack-destination=${join(out, 'npm')}`, app], { cwd: scratch });
}

async function packCharts(out: string, scratch: string, { version }: Sources, image: string): Promise<void> {
  await mkdir(join(out, 'helm'));
  for (const chart of ['gatewright', 'gatewright-crds']) {
    const folder = join(scratch, 'charts', chart);
    await cp(join(root, 'charts', chart), folder, { recursive: true });
    if (chart === 'gatewright') await nameImage(join(folder, 'values.yaml'), image);
    await archive(folder, join(out, 'helm', `${chart}-${version}.tgz`), { prefix: chart, isCompressed: true });
  }
}

/** The first `repository` of the values is that of the image. */
async function nameImage(values: string, image: string): Promise<void> {
  const text = await readFile(values, 'utf8');
  const named = text.replace(/^( {2}repository: )gatewright$/m, `$1${image}`);
  if (named === text && image !== 'gatewright')
    throw new Error(`${values}: there is no line "  repository: gatewright"`);
  await writeFile(values, named);
}

async function writeManifest(out: string, { version }: Sources, image: string): Promise<void> {
  const text = await readFile(join(root, 'manifests/install.yaml'), 'utf8');
  await writeFile(join(out, 'install.yaml'), text.replaceAll(`gatewright:${version}`, `${image}:${version}`));
}

/** The documentation of this version, for any web server. */
async function packSite(out: string, scratch: string, { version }: Sources): Promise<void> {
  const folder = join(scratch, 'site');
  await makeSite({ out: folder });
  await mkdir(join(out, 'site'));
  await archive(folder, join(out, 'site', `gatewright-docs-${version}.tgz`), { isCompressed: true });
}

/** One image with Envoy, one of the control plane alone. */
async function packImages(out: string, scratch: string, { version, description }: Sources): Promise<void> {
  await mkdir(join(out, 'images'));
  const whole = await makeImageRoot(join(scratch, 'root'));
  const envoy = join(scratch, 'envoy');
  await mkdir(join(envoy, 'usr/local/bin'), { recursive: true });
  await cp(join(whole, 'usr/local/bin/envoy'), join(envoy, 'usr/local/bin/envoy'));
  await rm(join(whole, 'usr/local/bin/envoy'));
  const digests: string[] = [];
  for (const [name, layers] of [
    ['gatewright', [whole, envoy]],
    ['gatewright-control', [whole]],
  ] as const) {
    const file = `${name}-${version}-linux-${architecture()}.tar`;
    const digest = await writeImage(join(out, 'images', file), { layers, version, description, scratch });
    digests.push(`${digest}  ${file}\n`);
  }
  await writeFile(join(out, 'images/DIGESTS'), digests.join(''));
}

/** The program as one file, for the machine's kind. */
async function packOneFile(out: string, scratch: string, { version }: Sources): Promise<void> {
  await mkdir(join(out, 'bin'));
  const folder = join(scratch, 'one-file');
  await mkdir(folder);
  await packExecutable(join(out, 'bin', `gatewright-${version}-linux-${architecture()}.tar.gz`), {
    app: join(scratch, 'app'),
    envoy: join(scratch, 'envoy/usr/local/bin/envoy'),
    version,
    scratch: folder,
  });
}

const filesIn = async (directory: string): Promise<readonly string[]> =>
  (await filesBelow(directory)).map((file) => relative(directory, file));

async function subjectsIn(directory: string) {
  const subjects = [];
  for (const name of await filesIn(directory)) subjects.push({ name, digest: await digestOf(join(directory, name)) });
  return subjects;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist') },
      image: { type: 'string', default: 'gatewright' },
      key: { type: 'string' },
      'no-images': { type: 'boolean', default: false },
    },
  });
  const out = resolve(values.out);
  const made = await makeRelease({ out, image: values.image, key: values.key, withImages: !values['no-images'] });
  for (const file of made) console.log(join(out, file));
}
