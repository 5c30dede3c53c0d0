/** Judges files as the program reads them, with no cluster: what `gatewright validate` does. Writes nothing. */
export { formatFinding, formatSummary } from './finding.ts';
export { type ValidationReport, validatePaths } from './validate-paths.ts';
