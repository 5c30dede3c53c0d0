/**
 * Makes the root directory of the one image (control plane, agent and Envoy) out of this machine's parts, and prints its
 * path. For clusters without a registry; `Dockerfile` makes the image for all others.
 * usage: node scripts/image.ts [DIRECTORY]
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.ts';
import { cacheDir, envoyPath, root } from './paths.mjs';
import { run } from './setup/run.mjs';

/** Of every container of the image. */
export const entrypoint = '/usr/bin/node /app/bin/gatewright.js';
/** The user of containers: `nonroot`, as in distroless images. */
export const user = '65532';

const accounts = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${user}:${user}:nonroot:/tmp:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${user}:\n`,
  // Names of Services come from DNS; without this file glibc would not ask it after /etc/hosts.
  'etc/nsswitch.conf': 'hosts: files dns\n',
};
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Fills `directory`, which is emptied first, and resolves with its path. */
export async function makeImageRoot(directory = join(cacheDir(), 'image/root')): Promise<string> {
  const node = join(root, 'node_modules/node/bin/node');
  await rm(directory, { recursive: true, force: true });
  await copy(node, join(directory, 'usr/bin/node'));
  await copy(envoyPath(), join(directory, 'usr/local/bin/envoy'));
  for (const library of new Set([...(await librariesOf(node)), ...(await librariesOf(envoyPath()))])) {
    await copy(library, join(directory, library));
  }
  await bundle(join(directory, 'app'));
  await copy(certificates, join(directory, certificates));
  for (const [path, text] of Object.entries(accounts)) await writeFile(join(directory, path), text);
  // A read-only root needs the places that are mounted over.
  for (const path of ['tmp', 'etc/gatewright']) await mkdir(join(directory, path), { recursive: true });
  return directory;
}

/** Links are followed: an image is no place for links into this machine. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, dereference: true });
}

/** Absolute paths, with the loader, under the names that the program asks for. Static programs have none. */
async function librariesOf(program: string): Promise<string[]> {
  const listed = await run('ldd', [program], { quiet: true }).catch(() => '');
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path ?? '');
}

if (import.meta.main) console.log(await makeImageRoot(process.argv[2]));
