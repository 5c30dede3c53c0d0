const folder = 'geoip';

/** What a database says of an address: where it is, or whose network it belongs to. */
export const geoDatabases = ['location', 'asn'] as const;
export type GeoDatabase = (typeof geoDatabases)[number];

/** Where the agent keeps a database for Envoy, below the folder that Envoy is started in. The file is always there: Envoy ends where it is not. */
export const geoFile = (database: GeoDatabase): string => `${folder}/${database}.mmdb`;

/** What such a file says of each address while the agent has no database of that sort: in place of a country, and of a network's number. */
export const unavailablePlace = 'unavailable';

/** Node metadata of an agent that keeps these files, `true`. Others are sent no listener that names them. */
export const geoMetadata = 'gatewright_geoip';
