import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '../config/index.ts';

/** The files that the agent shares with one Envoy. */
export interface EnvoyFiles {
  readonly bootstrap: string;
  readonly adminSocket: string;
  readonly xdsSocket: string;
  /** The same for all, like those below. */
  readonly askSocket: string;
  readonly limitSocket: string;
  readonly sessionSocket: string;
  readonly passwordSocket: string;
}

/** Paths of those that no other Envoy has. */
export const ownFilesOf = ({ bootstrap, adminSocket, xdsSocket }: EnvoyFiles): readonly string[] => [
  bootstrap,
  adminSocket,
  xdsSocket,
];

/** The files that agent and Envoy share. */
export interface WorkDir {
  readonly folder: string;
  /** The number that Envoys which follow one another have in common. */
  readonly baseId: string;
  /** The prefix of socket names in this folder. */
  readonly hotRestart: string;
  /** Of the Envoy that took over so many times. */
  filesOf(handovers: number): EnvoyFiles;
  /** Removes the files, and the folder if it was made here. */
  remove(): Promise<void>;
}

/** `sun_path` of a unix socket holds 107 characters and an end. */
const longestSocketPath = 107;
const socketNames = {
  admin: 'admin.sock',
  xds: 'xds.sock',
  asks: 'ask.sock',
  limits: 'lim.sock',
  sessions: 'sess.sock',
  passwords: 'pass.sock',
};
const baseIdName = 'base-id';
const hotRestartName = 'hot';
/** Envoy puts a role and up to twenty digits behind it. */
const longestName = `${hotRestartName}_udp_parent_${'0'.repeat(20)}`;
const ourFiles =
  /^(?:envoy(?:-\d+)?\.json|(?:admin|xds|ask|lim|sess|pass)(?:-\d+)?\.sock|hot_(?:udp_)?(?:parent|child)_\d+|base-id|modules|geoip|trial\.pb)$/;
const temporaryName = 'gatewright-';

/**
 * A folder closed to other users, `given` or a new one in the system's temporary directory. Leftovers of an agent that was
 * killed are removed. Throws ConfigError when a socket's path in it would be too long, or when it cannot be made.
 */
export async function openWorkDir(given: string | undefined): Promise<WorkDir> {
  // Envoy runs in it.
  const path = given === undefined ? undefined : resolve(given);
  const parent = path ?? join(tmpdir(), `${temporaryName}XXXXXX`);
  if (Buffer.byteLength(join(parent, longestName)) > longestSocketPath) {
    throw new ConfigError(`work directory ${parent}: too long for the path of a unix socket; use a shorter one`);
  }
  const folder = await makeFolder(path);
  const filesOf = (handovers: number): EnvoyFiles => {
    const name = (file: string) => join(folder, handovers === 0 ? file : file.replace('.', `-${handovers}.`));
    return {
      bootstrap: name('envoy.json'),
      adminSocket: name(socketNames.admin),
      xdsSocket: name(socketNames.xds),
      askSocket: join(folder, socketNames.asks),
      limitSocket: join(folder, socketNames.limits),
      sessionSocket: join(folder, socketNames.sessions),
      passwordSocket: join(folder, socketNames.passwords),
    };
  };
  const removeFiles = async (but?: string) => {
    const ours = (await readdir(folder).catch(() => [])).filter((file) => ourFiles.test(file) && file !== but);
    await Promise.all(ours.map((file) => rm(join(folder, file), { recursive: true, force: true })));
  };
  // It names shared memory that an Envoy before may have left behind, see HotRestart.
  await removeFiles(baseIdName);
  const remove = path === undefined ? () => rm(folder, { recursive: true, force: true }) : () => removeFiles();
  return { folder, baseId: join(folder, baseIdName), hotRestart: join(folder, hotRestartName), filesOf, remove };
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
