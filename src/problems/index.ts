/**
 * What can be wrong, with its meaning and its remedy: problems and Envoy's response flags. Reasons of conditions are with the Gateway API's words,
 * error codes with the admin API; `src/admin/explain` joins all of them. Imports nothing of ours.
 */
export {
  type ProblemArea,
  type ProblemCode,
  problemAreas,
  problemCodes,
  type Severity,
} from './problem-codes.ts';
export { type ResponseDetail, type ResponseDetailCode, responseDetailOf, responseDetails } from './response-details.ts';
export { responseFlags } from './response-flags.ts';
