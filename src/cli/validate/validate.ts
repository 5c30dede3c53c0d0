import { formatFinding, formatSummary, validatePaths } from '../../offline/validate/index.ts';
import { ObjectValidator } from '../../sources/index.ts';
import { print } from '../kit/command.ts';
import type { CliIo } from '../kit/io.ts';

export interface ValidateOptions {
  readonly output: 'text' | 'json';
  readonly strict?: boolean;
}

/** Judges files and prints what was found. The exit code: 0 all valid, 1 something is wrong with them, 2 it could not be found out. */
export async function validate(
  paths: readonly string[],
  { output, strict = false }: ValidateOptions,
  io: CliIo,
): Promise<0 | 1 | 2> {
  try {
    const report = await validatePaths(paths, await ObjectValidator.load(io.definitions()), { strict });
    if (report.files === 0) throw new Error(`no .yaml, .yml or .json file in ${paths.join(', ')}`);
    const text =
      output === 'json'
        ? JSON.stringify(report, null, 2)
        : [...report.findings.map(formatFinding), formatSummary(report)].join('\n');
    print(io, text);
    return report.valid ? 0 : 1;
  } catch (error) {
    io.writeError(`gatewright: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}
