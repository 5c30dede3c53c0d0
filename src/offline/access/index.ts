/**
 * Who may come in, for one request: what each part of the access policies does with it, worked out from the snapshot that proxies are sent. A test
 * compares it with real Envoy.
 */
export { clientAddress, clientScheme, isUnbelieved, type Scheme } from './client-address.ts';
export { type JudgedPart, type Judgement, judgeAccess } from './judge.ts';
export { type AccessSource, demandsOnHost } from './levels.ts';
export type { PresentedCertificate, PresentedRequest } from './presented.ts';
export { type Weaker, weakerAccess, weakerBy } from './weaker.ts';
