import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { root, versions } from '../../scripts/paths.mjs';
import { markdownTable, type Plotted, plot, rowsOf, type Turns } from './table.ts';

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
  const rows = rowsOf(all);
  const names = subjects.map((subject) => subject.name);
  const count = Math.max(...all.map(({ turns }) => turns.length));
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
  const builds = [
    `Envoy ${versions.ENVOY}`,
    `Kubernetes ${versions.KUBERNETES}`,
    `Node ${process.versions.node}`,
    ...subjects.map((subject) => `${subject.name} ${subject.version}`),
  ].join(', ');
  const taken = `${new Date().toISOString().slice(0, 10)}, ${machine}; ${builds}`;
  const counts = rows.some(({ cells }) => cells.some((cell) => cell?.counted));
  const together = counts ? '; requests of all turns together' : '';
  const reading = count > 1 ? `${count} turns each: median (least–greatest)${together}.` : 'One turn each.';
  const table = markdownTable(rows, names);
  const drawn = plots.map((one) => plot(rows, names, one)).filter((text) => text !== '');
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const turns = all.map((one) => ({ subject: one.subject, turns: one.turns.map((turn) => Object.fromEntries(turn)) }));
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ about, taken, rows, turns }, null, 2)}\n`);
  const parts = [`# ${title}`, `${about} ${reading}`, `${taken}.`, table, ...drawn];
  await writeFile(join(folder, `${name}.md`), `${parts.join('\n\n')}\n`);
  return `${about} ${reading}\n${taken}.\n\n${table}`;
}
