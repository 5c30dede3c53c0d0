import { type GeoDatabase, geoDatabases } from './geoip.ts';

/*
 * What agents say of databases that they cannot use. An agent says it in the metadata of its node when it connects, and in a request of its own type when that
 * changes. Control planes of older releases know neither.
 */

/** Node metadata: databaseFaultsText. */
export const databaseFaultsMetadata = 'gatewright_database_faults';

/** Type URL of a request whose `error_detail.message` is databaseFaultsText: all faults that there are now. It subscribes to nothing. */
export const databaseFaultsType = 'type.googleapis.com/gatewright.v1.DatabaseFaults';

/** One database that cannot be used. */
export interface DatabaseFault {
  readonly database: GeoDatabase;
  /** For people: which file, what is wrong with it, and what requests meet meanwhile. */
  readonly message: string;
}

/** Characters of one message. Agents cut longer ones, and control planes do so once more. */
const messageLength = 1024;
const textLength = 8 * messageLength;

export const databaseFaultsText = (faults: readonly DatabaseFault[]): string =>
  JSON.stringify(faults.map(({ database, message }) => ({ database, message: message.slice(0, messageLength) })));

/** Databases that a newer release knows are left out, and so is what cannot be read: no proxy is worse off for it. */
export function readDatabaseFaults(text: string): DatabaseFault[] {
  if (text.length > textLength) return [];
  const listed = parsed(text);
  return geoDatabases.flatMap((database) => {
    const found = listed.find((each) => each?.database === database);
    const message = typeof found?.message === 'string' ? found.message.slice(0, messageLength) : '';
    return message === '' ? [] : { database, message };
  });
}

function parsed(text: string): readonly ({ readonly database?: unknown; readonly message?: unknown } | null)[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
