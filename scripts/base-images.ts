/**
 * The images that ours is made from. A tag may lead elsewhere tomorrow, so a release names them by digest:
 *   node scripts/base-images.ts pin      asks the registry, by docker, crane or skopeo, and writes digests into the Dockerfile
 *   node scripts/base-images.ts check    fails unless every one is there; a release is built behind it
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './paths.mjs';

/** `ARG NAME_IMAGE=REPOSITORY:TAG[@DIGEST]` */
const declaration = /^ARG (?<name>\w+_IMAGE)=(?<tagged>[^@\s]+)(?:@(?<digest>\S+))?$/gm;
const digestForm = /^sha256:[0-9a-f]{64}$/;

export interface BaseImage {
  readonly name: string;
  /** With its tag. */
  readonly tagged: string;
  readonly digest: string | undefined;
}

/** Those that a Dockerfile declares. Throws when a stage is made from an image that is not declared so. */
export function baseImages(dockerfile: string): BaseImage[] {
  const images = [...dockerfile.matchAll(declaration)].map(({ groups = {} }) => ({
    name: groups.name ?? '',
    tagged: groups.tagged ?? '',
    digest: groups.digest,
  }));
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (?<stage>\S+)$/gm)].map(({ groups }) => groups?.stage));
  for (const { groups } of dockerfile.matchAll(/^FROM (?<from>\S+)/gm)) {
    const from = groups?.from ?? '';
    const isDeclared = images.some(({ name }) => from === `\${${name}}`);
    if (!isDeclared && !stages.has(from))
      throw new Error(`FROM ${from}: declare it as ARG …_IMAGE, which can be pinned`);
  }
  return images;
}

/** What keeps these from being a release's, a line for each. */
export const unpinned = (images: readonly BaseImage[]): string[] =>
  images
    .filter(({ digest }) => digest === undefined || !digestForm.test(digest))
    .map(
      ({ name, tagged, digest }) =>
        `${name}=${tagged} has ${digest === undefined ? 'no digest' : `${digest}, which is none`}`,
    );

/** The Dockerfile with the digests that `digestOf` gives for each image and its tag. */
export const pinned = (dockerfile: string, digestOf: (tagged: string) => string): string =>
  dockerfile.replaceAll(declaration, (_line, name: string, tagged: string) => {
    const digest = digestOf(tagged).trim();
    if (!digestForm.test(digest)) throw new Error(`${tagged}: ${JSON.stringify(digest)} is no digest`);
    return `ARG ${name}=${tagged}@${digest}`;
  });

/** Of the whole list of platforms, where an image has one: the digest that `docker pull` shows. */
const askers: readonly (readonly [command: string, args: (tagged: string) => string[]])[] = [
  ['crane', (tagged) => ['digest', tagged]],
  ['docker', (tagged) => ['buildx', 'imagetools', 'inspect', tagged, '--format', '{{.Manifest.Digest}}']],
  ['skopeo', (tagged) => ['inspect', '--format', '{{.Digest}}', `docker://${tagged}`]],
];

function askRegistry(tagged: string): string {
  for (const [command, args] of askers) {
    try {
      return execFileSync(command, args(tagged), { encoding: 'utf8' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(
    `none of ${askers.map(([command]) => command).join(', ')} is installed: one of them asks the registry`,
  );
}

function main(command: string | undefined, path = join(root, 'Dockerfile')): number {
  const text = readFileSync(path, 'utf8');
  if (command === 'pin') {
    baseImages(text);
    writeFileSync(path, pinned(text, askRegistry));
    return 0;
  }
  if (command !== 'check') {
    process.stderr.write('usage: node scripts/base-images.ts pin|check [DOCKERFILE]\n');
    return 2;
  }
  const faults = unpinned(baseImages(text));
  for (const fault of faults) process.stderr.write(`${path}: ${fault}; run: node scripts/base-images.ts pin\n`);
  return faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit(main(...(process.argv.slice(2) as [string, string])));
