/** Databases of places: the agent checks the user's files, and keeps copies for Envoy. */
export type { GeoPaths } from './geo-databases.ts';
export { GeoFiles } from './geo-files.ts';
