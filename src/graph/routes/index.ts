/** Routes: what they attach to, and what their rules come to. */
export { filterEdges, markRoutesOfFilter, markRoutesTo, routeEdges } from './edges.ts';
export { type RoutePlace, Routes } from './routes.ts';
export { rulesOf } from './rule.ts';
