import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { root, versions } from '../../scripts/paths.mjs';
import { rowsOf, type Turns } from './rows.ts';
import type { Plotted } from './table.ts';
import { type Kept, pageOf, textOf } from './written.ts';

/** What one run of a bench found. */
export interface Results {
  /** Of its files in bench/results. */
  readonly name: string;
  readonly title: string;
  /** What was done, and how much of it. */
  readonly about: string;
  readonly plots: readonly Plotted[];
  /** With what version, in the order of columns. */
  readonly subjects: readonly { readonly name: string; readonly version: string }[];
  readonly all: readonly Turns[];
}

/** Writes them as JSON and as a Markdown table with plots, machine and versions in both. @returns the table */
export async function writeResults({ name, title, about, plots, subjects, all }: Results): Promise<string> {
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
  const builds = [
    `Envoy ${versions.ENVOY}`,
    `Kubernetes ${versions.KUBERNETES}`,
    `Node ${process.versions.node}`,
    ...subjects.map((subject) => `${subject.name} ${subject.version}`),
  ].join(', ');
  const kept: Kept = {
    title,
    about,
    taken: `${new Date().toISOString().slice(0, 10)}, ${machine}; ${builds}`,
    plots,
    rows: rowsOf(all),
    turns: all.map((one) => ({ subject: one.subject, turns: one.turns.map((turn) => Object.fromEntries(turn)) })),
  };
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), pageOf(kept));
  return textOf(kept);
}
