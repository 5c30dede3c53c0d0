/** Types and keys that the rooms of the graph share. */
export { routeKey } from './route-key.ts';
