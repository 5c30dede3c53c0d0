import { type Kind, kindsRead } from '../../gateway-api/index.ts';
import { formatFinding, type ValidationReport, validatePaths } from '../../offline/validate/index.ts';
import { type ObjectsRead, readObjects } from '../../sources/index.ts';
import { checkGivenPaths, nameManifests } from './given-paths.ts';
import type { CliIo } from './io.ts';

/** What files say, and what is wrong with them. */
export interface FilesRead extends ObjectsRead {
  readonly report: ValidationReport;
}

/** Reads and judges files and directories as `validate` does; what is wrong goes to standard error. `read`: kinds. Throws for what cannot be read. */
export async function readFiles(
  paths: readonly string[],
  io: CliIo,
  read: readonly Kind[] = kindsRead(),
): Promise<FilesRead> {
  await checkGivenPaths(paths, nameManifests);
  const validator = await io.validator(read);
  const report = await validatePaths(paths, validator);
  for (const finding of report.findings) io.writeError(`${formatFinding(finding)}\n`);
  return { ...(await readObjects(paths, validator)), report };
}
