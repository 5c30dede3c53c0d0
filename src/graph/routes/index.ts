/** Routes: what they attach to, and what their rules come to. */
export { routeEdges } from './edges.ts';
