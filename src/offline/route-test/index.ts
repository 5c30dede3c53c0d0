/**
 * What the proxies would do with one request, worked out from the snapshot: which listener, host, rule and backend, and
 * why not the others. A test holds it against real Envoy.
 */

export { explainPrecedence } from './explain-precedence.ts';
export { isOpen, onlyHttpPort, onlyPortWith } from './find-listener.ts';
export type { TestRequest } from './request.ts';
export { type RouteTestResult, testingRoute, testRoute } from './route-test.ts';
export type { Candidate } from './walk.ts';
