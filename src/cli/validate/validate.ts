import { stat } from 'node:fs/promises';
import { loadConfig } from '../../config/index.ts';
import {
  formatFinding,
  formatSummary,
  type Place,
  sortFindings,
  type ValidationReport,
  validatePaths,
} from '../../offline/validate/index.ts';
import { readObjects } from '../../sources/index.ts';
import { print } from '../kit/command.ts';
import { checkGivenPaths, nameManifests } from '../kit/given-paths.ts';
import { ingressReading } from '../kit/ingress-reading.ts';
import type { CliIo } from '../kit/io.ts';

export interface ValidateOptions {
  readonly output: 'text' | 'json';
  readonly strict?: boolean;
  /** Undefined: if one of the paths is a directory. */
  readonly withReferences?: boolean;
}

/** Judges files and prints what was found. The exit code: 0 all valid, 1 something is wrong with them, 2 it could not be found out. */
export async function validate(paths: readonly string[], options: ValidateOptions, io: CliIo): Promise<0 | 1 | 2> {
  try {
    const report = await judge(paths, options, io);
    if (report.files === 0) throw new Error(`no .yaml, .yml or .json file in ${paths.join(', ')}`);
    const text =
      options.output === 'json'
        ? JSON.stringify(report, null, 2)
        : [...report.findings.map(formatFinding), formatSummary(report)].join('\n');
    print(io, text);
    return report.valid ? 0 : 1;
  } catch (error) {
    io.writeError(`gatewright: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

async function judge(
  paths: readonly string[],
  { strict = false, withReferences }: ValidateOptions,
  io: CliIo,
): Promise<ValidationReport> {
  await checkGivenPaths(paths, nameManifests);
  const { read, deriveIngresses } = await ingressReading(loadConfig(undefined, io.env), paths);
  const validator = await io.validator(read);
  const places = new Map<string, Place>();
  const report = await validatePaths(paths, validator, { strict, onObject: (id, place) => places.set(id, place) });
  if (!(withReferences ?? (await hasDirectory(paths)))) return report;
  const { referenceFindings } = await import('./references.ts');
  const found = referenceFindings(await readObjects(paths, validator), { places, deriveIngresses }, io);
  const valid = report.valid && !found.some(({ severity }) => severity === 'error');
  return { ...report, valid, findings: sortFindings([...report.findings, ...found]) };
}

async function hasDirectory(paths: readonly string[]): Promise<boolean> {
  const all = await Promise.all(paths.map((path) => stat(path)));
  return all.some((each) => each.isDirectory());
}
