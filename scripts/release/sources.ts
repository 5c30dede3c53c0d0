import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { run } from '../setup/run.mjs';

/** What a release is made from. */
export interface Sources {
  readonly version: string;
  readonly description: string;
  readonly commit: string;
  /** Of the commit, or `SOURCE_DATE_EPOCH`. */
  readonly taken: Date;
  /** Whether files differ from the commit. */
  readonly isChanged: boolean;
}

export async function sourcesOf(): Promise<Sources> {
  const { version, description } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Sources;
  const git = async (...parameters: readonly string[]) => (await run('git', parameters, { cwd: root })).trim();
  const commit = await git('rev-parse', 'HEAD');
  const seconds = process.env.SOURCE_DATE_EPOCH ?? (await git('show', '--no-patch', '--format=%ct', 'HEAD'));
  const isChanged = (await git('status', '--porcelain')) !== '';
  return { version, description, commit, taken: new Date(Number(seconds) * 1000), isChanged };
}

/** The changes of a version; of one that has no section yet, those that are not released. */
export async function notesOf(version: string): Promise<string> {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const section = sections.find((each) => each.startsWith(`## ${version} `)) ?? sections[0];
  if (section === undefined) throw new Error('CHANGELOG.md has no section');
  return section;
}

/** What was made, from what, and how. Source: in-toto Statement v1, SLSA Provenance v1. */
export const statementOf = (
  subjects: readonly { readonly name: string; readonly digest: string }[],
  { version, commit, taken }: Sources,
  parameters: object,
): object => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: subjects.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://gatewright.dev/release/v1',
      externalParameters: { version, ...parameters },
      resolvedDependencies: [{ uri: 'git+.', digest: { gitCommit: commit } }],
    },
    runDetails: { builder: { id: 'npm run release' }, metadata: { startedOn: taken.toISOString() } },
  },
});
