/** Judges files as the program reads them, with no cluster: what `gatewright validate` does. Writes nothing. */
export { type Finding, formatFinding, formatSummary, type Place } from './finding.ts';
export { sortFindings, type ValidationReport, validatePaths } from './validate-paths.ts';
