import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../config/index.ts';

/** The files that agent and Envoy share. */
export interface WorkDir {
  readonly folder: string;
  readonly bootstrap: string;
  readonly adminSocket: string;
  readonly xdsSocket: string;
  readonly sessionSocket: string;
  /** Removes the files, and the folder if it was made here. */
  remove(): Promise<void>;
}

/** `sun_path` of a unix socket holds 107 characters and an end. */
const longestSocketPath = 107;
const socketNames = { admin: 'admin.sock', xds: 'xds.sock', sessions: 'sess.sock' };
const temporaryName = 'gatewright-';

/**
 * A folder nobody else may enter, `path` or a new one in the system's temporary directory. Leftovers of an agent that was
 * killed are removed. Throws ConfigError when a socket's path in it would be too long, or when it cannot be made.
 */
export async function openWorkDir(path: string | undefined): Promise<WorkDir> {
  const parent = path ?? join(tmpdir(), `${temporaryName}XXXXXX`);
  if (Buffer.byteLength(join(parent, socketNames.admin)) > longestSocketPath) {
    throw new ConfigError(`work directory ${parent}: too long for the path of a unix socket; use a shorter one`);
  }
  const folder = await makeFolder(path);
  const files = {
    bootstrap: join(folder, 'envoy.json'),
    adminSocket: join(folder, socketNames.admin),
    xdsSocket: join(folder, socketNames.xds),
    sessionSocket: join(folder, socketNames.sessions),
  };
  const removeFiles = async () => {
    await Promise.all(Object.values(files).map((file) => rm(file, { force: true })));
  };
  await removeFiles();
  const remove = path === undefined ? () => rm(folder, { recursive: true, force: true }) : removeFiles;
  return { folder, ...files, remove };
}

async function makeFolder(path: string | undefined): Promise<string> {
  try {
    if (path === undefined) return await mkdtemp(join(tmpdir(), temporaryName));
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
    return path;
  } catch (cause) {
    const advice = 'make it, or set another one that this user may write to';
    throw new ConfigError(`work directory ${path ?? tmpdir()}: ${(cause as Error).message}; ${advice}`, { cause });
  }
}
