import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import type { ReferencePage } from './kind-reference.ts';
import { examplePathOf } from './site-path.ts';

const folder = join(root, 'examples');

/** One page for each example: its files, and how to run it. */
export const examplePages = (): readonly ReferencePage[] =>
  readdirSync(folder)
    .filter((name) => filesOf(name).length > 0)
    .map((name) => ({ path: examplePathOf(name), title: name, markdown: pageOf(name) }));

const filesOf = (name: string): readonly string[] =>
  readdirSync(join(folder, name)).filter((file) => file.endsWith('.yaml'));

const pageOf = (name: string): string =>
  [
    `# Example: ${name}`,
    `In a clone of the repository, this serves it on your machine, sends its requests and checks the answers:`,
    `\`\`\`sh\nnpm run example -- ${name}\n\`\`\``,
    ...filesOf(name).flatMap((file) => [
      `## ${file}`,
      `\`\`\`yaml\n${readFileSync(join(folder, name, file), 'utf8').trimEnd()}\n\`\`\``,
    ]),
  ].join('\n\n');
