/**
 * Counts that may only fall: what a check still finds, by name, in `scripts/ratchet.json`. More than that fails; less does not,
 * so that files can move freely. `npm run check -- --update` lowers the counts to what is found, and never raises one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** What a check found under one name: its lines, `file:line: what is wrong`. */
export type Findings = Readonly<Record<string, readonly string[]>>;
/** How many findings each name may have; none where it is missing. */
export type Allowed = Readonly<Record<string, number>>;

/** As many lines as help to find a new fault. */
const SHOWN = 25;

/** One message for each name with more findings than allowed. */
export function growthOf(findings: Findings, allowed: Allowed): readonly string[] {
  return Object.entries(findings).flatMap(([name, lines]) => {
    const most = allowed[name] ?? 0;
    if (lines.length <= most) return [];
    const shown = lines.slice(0, SHOWN).map((line) => `  ${line}\n`);
    const rest = lines.length > SHOWN ? `  … and ${lines.length - SHOWN} more\n` : '';
    return [
      `${shown.join('')}${rest}${name}: ${lines.length} found, at most ${most} allowed (files changed last come first)`,
    ];
  });
}

/** The counts after an update: lowered to what is found, never raised; names without a finding go. */
export function lowered(findings: Findings, allowed: Allowed): Allowed {
  const counts = Object.entries(allowed).map(
    ([name, most]) => [name, Math.min(most, findings[name]?.length ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, most]) => most > 0));
}

/** Prints all findings and returns whether there is none. */
export function isFree(findings: Findings): boolean {
  const faults = growthOf(findings, {});
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

const file = join(root, 'scripts/ratchet.json');
const readAll = (): Record<string, Allowed> => JSON.parse(readFileSync(file, 'utf8'));

/** Prints what grew and returns whether nothing did. With `update`, lowers the counts of this check. */
export function holds(check: string, findings: Findings, update: boolean): boolean {
  const all = readAll();
  const allowed = all[check] ?? {};
  const grown = growthOf(findings, allowed);
  for (const message of grown) console.error(message);
  if (update) writeFileSync(file, `${JSON.stringify({ ...all, [check]: lowered(findings, allowed) }, null, 2)}\n`);
  return grown.length === 0;
}
