import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DatabaseFault, geoDatabases, geoFile } from '../../contracts/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import { databaseFault, largestDatabase } from './check-database.ts';
import type { GeoDatabase, GeoPaths } from './geo-databases.ts';
import { placeholder } from './placeholder.ts';

export interface GeoFilesOptions {
  readonly paths: GeoPaths;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called when `faults` has changed. */
  readonly onFaults?: () => void;
}

/**
 * The databases of places that Envoy reads, as copies: Envoy ends where a file that it has mapped becomes shorter, or is broken when it starts. So no file of the user's
 * reaches it before it was checked. In place of a database that is missing stands one by which rules let no request in.
 */
export class GeoFiles {
  readonly #options: GeoFilesOptions;
  /** Of the user's file that was looked at last. */
  readonly #marks = new Map<GeoDatabase, string | undefined>();
  readonly #faults = new Map<GeoDatabase, string>();
  readonly #used = new Set<GeoDatabase>();
  #folder = '';

  constructor(options: GeoFilesOptions) {
    this.#options = options;
  }

  /** What is wrong with the databases, and what requests meet meanwhile. */
  get faults(): readonly DatabaseFault[] {
    return [...this.#faults].map(([database, message]) => ({ database, message }));
  }

  /** `folder`: the one that Envoy is started in. Resolves when all files are there. */
  async open(folder: string): Promise<void> {
    this.#folder = folder;
    for (const database of geoDatabases) {
      const path = this.#pathOf(database);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, placeholder(database), { mode: 0o600 });
      await this.#look(database, await this.#mark(database));
    }
  }

  /** Takes files that are replaced, until the signal. Never rejects. */
  async run(everyMs: number, signal: AbortSignal): Promise<void> {
    const seen = new Map(this.#marks);
    while (!signal.aborted) {
      await this.#options.clock.delay(everyMs, signal).catch(() => undefined);
      for (const database of geoDatabases) {
        const mark = await this.#mark(database);
        // A file that is still being written is another one at every look.
        const isWhole = seen.get(database) === mark;
        seen.set(database, mark);
        if (!signal.aborted && isWhole && mark !== this.#marks.get(database)) await this.#look(database, mark);
      }
    }
  }

  async #look(database: GeoDatabase, mark: string | undefined): Promise<void> {
    const { paths, logger, onFaults } = this.#options;
    const path = paths[database];
    if (path === undefined) return;
    this.#marks.set(database, mark);
    const fault = mark === undefined ? 'does not exist, or cannot be read' : await this.#take(path, database);
    if (fault === undefined) {
      this.#used.add(database);
      if (this.#faults.delete(database)) onFaults?.();
      logger.info({ database, path }, 'took a database of places');
      return;
    }
    const meanwhile = this.#used.has(database)
      ? 'the one before stays in use'
      : 'until then requests are denied that rules by location are for';
    const message = `${database} database ${path} ${fault}: put one there that the agent may read (geoip.databases.${database}); ${meanwhile}`;
    this.#faults.set(database, message);
    onFaults?.();
    logger.error({ database, path }, message);
  }

  /** Why the file cannot be used. The copy is what is checked, and what Envoy gets. */
  async #take(path: string, database: GeoDatabase): Promise<string | undefined> {
    const copy = `${this.#pathOf(database)}.part`;
    try {
      const found = await stat(path);
      if (!found.isFile()) return 'is no file';
      if (found.size > largestDatabase) return `has ${found.size} bytes, and may have ${largestDatabase}`;
      await copyFile(path, copy, constants.COPYFILE_FICLONE);
      const fault = databaseFault(copy, database);
      if (fault === undefined) await rename(copy, this.#pathOf(database));
      return fault;
    } catch (error) {
      return `cannot be read: ${(error as Error).message}`;
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Differs when there may be another file; undefined: there is none. */
  #mark(database: GeoDatabase): Promise<string | undefined> {
    const path = this.#options.paths[database];
    if (path === undefined) return Promise.resolve(undefined);
    return stat(path).then(
      ({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(' '),
      () => undefined,
    );
  }

  #pathOf(database: GeoDatabase): string {
    return join(this.#folder, geoFile(database));
  }
}
