import { mkdir, rm, writeFile } from 'node:fs/promises';
import { Backoff } from '../std/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { Clock } from './clock.ts';
import { envoyArguments } from './envoy/arguments.ts';
import { EnvoyProcess } from './envoy/envoy-process.ts';
import type { LimitService } from './limits/index.ts';
import { Downstream, type Relay, type UsageRelay } from './relay/index.ts';
import type { EnvoyFiles, WorkDir } from './work-dir.ts';

/** What Envoy is run with; a change of it takes another Envoy. */
export interface EnvoySpec {
  readonly path: string;
  readonly logLevel: string;
  readonly drainTimeMs: number;
  readonly concurrency?: number | undefined;
  readonly extra: readonly string[];
  /** The bootstrap for an Envoy with these files. */
  readonly bootstrap: (files: EnvoyFiles) => string;
}

/** What every Envoy of an agent is started with. */
export interface TurnOptions {
  readonly workDir: WorkDir;
  readonly relay: Relay;
  readonly usage: Pick<UsageRelay, 'serve'>;
  readonly limits: Pick<LimitService, 'serve'>;
  /** Sockets that Envoy's filters ask. */
  readonly sockets: readonly { readonly listen: () => Promise<void> }[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called after each request of Envoy. */
  readonly onRequest: () => void;
}

/** One Envoy, and those that are started in its place when it ends by itself. */
export interface Turn {
  readonly spec: EnvoySpec;
  readonly files: EnvoyFiles;
  readonly downstream: Downstream;
  readonly process: EnvoyProcess;
  readonly makeFiles: () => Promise<void>;
}

/** What of a turn depends on the one before it. */
interface Place {
  readonly files: EnvoyFiles;
  /** Arguments for its place in the succession; asked for at each start. */
  readonly succession: () => Promise<readonly string[]>;
  /** The relay speaks with one Envoy at a time: called when this one opens a stream. */
  readonly onStream: (own: Downstream) => void;
}

/** An Envoy that is not started yet. */
export function makeTurn(spec: EnvoySpec, options: TurnOptions, { files, succession, onStream }: Place): Turn {
  const { workDir, relay, usage, limits, sockets, logger, clock, onRequest } = options;
  const downstream: Downstream = new Downstream({
    socketPath: files.xdsSocket,
    relay,
    usage,
    limits,
    logger,
    onRequest,
    onStream: () => onStream(downstream),
  });
  const makeFiles = async () => {
    await mkdir(workDir.folder, { recursive: true, mode: 0o700 });
    await Promise.all([downstream, ...sockets].map((socket) => socket.listen()));
    await writeFile(files.bootstrap, spec.bootstrap(files), { mode: 0o600 });
  };
  const prepare = async () => {
    try {
      await makeFiles();
      await rm(files.adminSocket, { force: true });
    } catch (cause) {
      throw new Error(`work directory ${workDir.folder}: ${(cause as Error).message}`, { cause });
    }
  };
  const args = async () => argumentsOf(spec, files, await succession());
  const backoff = new Backoff({ baseMs: 100, maxMs: 10_000 });
  const process = new EnvoyProcess({ path: spec.path, folder: workDir.folder, args, logger, clock, backoff, prepare });
  return { spec, files, downstream, process, makeFiles };
}

/** The arguments of an Envoy with these files. */
export function argumentsOf(
  spec: EnvoySpec,
  { bootstrap: configPath }: EnvoyFiles,
  succession: readonly string[],
): string[] {
  const { logLevel, drainTimeMs, concurrency, extra } = spec;
  return envoyArguments({ configPath, logLevel, drainTimeMs, ...(concurrency && { concurrency }), succession, extra });
}
