import type { GeoDatabase } from '../../contracts/index.ts';

export type { GeoDatabase };

/** Paths of the user's databases; undefined: there is none of that sort. */
export type GeoPaths = { readonly [D in GeoDatabase]?: string | undefined };
