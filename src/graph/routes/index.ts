/** Routes: what they attach to, and what their rules come to. */
export { markRoutesTo, routeEdges } from './edges.ts';
export { compileFault } from './match.ts';
export { largestRegexWeight, regexWeight } from './regex-weight.ts';
export { type RoutePlace, Routes } from './routes.ts';
export { rulesOf } from './rule.ts';
