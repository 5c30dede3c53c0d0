/** Routes: what they attach to, and what their rules come to. */
export { markRoutesTo, routeEdges } from './edges.ts';
export { Routes } from './routes.ts';
