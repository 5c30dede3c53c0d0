/** The same requests, answered by two sides: an ingress-nginx or its model, and what has come in its place. */
export { askAddress, readSideAddress, type SideAddress } from './ask-address.ts';
export { askModel } from './ask-model.ts';
export { type AskedRequest, distinct } from './asked-request.ts';
export { isUnexplained, type Sides } from './compare.ts';
export { explanations } from './explanations.ts';
export { generateRequests } from './generate.ts';
export { readAccessLog } from './read-access-log.ts';
export { readHar } from './read-har.ts';
export { comparisonReport, type ReportFormat } from './report.ts';
export { noFacts, requestFacts } from './request-facts.ts';
export { defaultLimits, runComparison } from './run.ts';
export type { SeenAnswer } from './seen-answer.ts';
export { upstreamHosts } from './upstream-hosts.ts';
