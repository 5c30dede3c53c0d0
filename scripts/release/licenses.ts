import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { type ShippedPackage, shippedPackages } from './shipped-packages.ts';

/** Licenses under which code may be shipped with ours. Another one needs a decision. */
const accepted: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Each npm package that is shipped, with its license and the text of it. Throws for one with a license that is not accepted. */
export async function licenseReport(): Promise<string> {
  const parts: string[] = [];
  for (const shipped of await shippedPackages()) {
    const part = await partOf(shipped);
    if (part !== undefined) parts.push(part);
  }
  return [
    '# Licenses of what is shipped',
    'Envoy (Apache-2.0) and Node (MIT) have theirs in their own releases.',
    ...parts,
  ].join('\n\n');
}

async function partOf({ name, version, path }: ShippedPackage): Promise<string | undefined> {
  const folder = join(root, path);
  // An optional package for another machine.
  const files = await readdir(folder).catch(() => undefined);
  if (files === undefined) return undefined;
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { license?: unknown };
  const license = typeof manifest.license === 'string' ? manifest.license : '';
  const isAccepted = license
    .replace(/[()]/g, '')
    .split(/ (?:OR|AND) /)
    .every((each) => accepted.has(each));
  if (!isAccepted)
    throw new Error(`${name} ${version}: the license "${license}" is not among those of scripts/release/licenses.ts`);
  const text = files.find((file) => /^(licen[cs]e|copying)/i.test(file));
  const quoted = text === undefined ? '' : `\n\n${fenced(await readFile(join(folder, text), 'utf8'))}`;
  return `## ${name} ${version}\n\n${license}${quoted}`;
}

const fenced = (text: string): string => `\`\`\`\`text\n${text.trim()}\n\`\`\`\``;
