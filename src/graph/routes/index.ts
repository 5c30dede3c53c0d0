/** Routes: what they attach to, and what their rules come to. */
export { filterEdges, markRoutesTo, routeEdges, routesOfFilter } from './edges.ts';
export { type RoutePlace, Routes } from './routes.ts';
export { rulesOf } from './rule.ts';
