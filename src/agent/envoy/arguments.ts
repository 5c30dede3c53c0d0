import { envoyLogFormat } from './log-line.ts';

export interface EnvoyArgumentOptions {
  /** The bootstrap's path. */
  readonly configPath: string;
  /** Envoy's own word, such as `warning`. */
  readonly logLevel: string;
  readonly drainTimeMs: number;
  /** Worker threads; undefined: one for each processor Envoy may use. */
  readonly concurrency?: number;
  /** What it has to do with an Envoy before it; see HotRestart. */
  readonly succession: readonly string[];
  /** More arguments, put last. */
  readonly extra: readonly string[];
}

/**
 * The filter of logins writes a line for each request that it denies, with its query and cookies. These do not belong into a log, and any stranger
 * could fill a disk. The access log and the failures have these requests without that. That of processors and pickers writes one for each request while
 * its server is away.
 */
const quiet = 'oauth2:off,ext_proc:error';

/** Envoy's command line. */
export function envoyArguments(options: EnvoyArgumentOptions): string[] {
  const { configPath, logLevel, drainTimeMs, concurrency, succession, extra } = options;
  return [
    '--config-path',
    configPath,
    '--log-level',
    logLevel,
    '--component-log-level',
    quiet,
    '--log-format',
    envoyLogFormat,
    ...succession,
    '--drain-time-s',
    String(Math.max(1, Math.ceil(drainTimeMs / 1000))),
    // A listener that goes away says so on its first response, not with a probability that grows.
    '--drain-strategy',
    'immediate',
    ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
    ...extra,
  ];
}
