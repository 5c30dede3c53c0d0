import { type DestinationStream, type Logger, pino } from 'pino';
import { redactedText } from '../std/index.ts';
import type { LevelSwitch, LogLevel } from './level-switch.ts';
import { prettyStream } from './pretty-stream.ts';
import { redactedPaths } from './redacted-paths.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** The least severe level that is written. */
  readonly level?: LogLevel;
  /** `json`: one object per line. `pretty`: one readable line, for terminals. */
  readonly format?: 'json' | 'pretty';
  /** Standard output by default. */
  readonly destination?: DestinationStream;
  /** Changes the level of this logger and of its children later on. */
  readonly levels?: LevelSwitch;
}

/**
 * A logger of JSON lines at level info on standard output, by default. Each line has `time` (ISO 8601 UTC with
 * milliseconds), `level` as a word, `msg`, and `component` from componentLogger. Fields that hold secrets by their name
 * are written as `[redacted]`.
 */
export function createLogger({ level = 'info', format = 'json', destination, levels }: LoggerOptions = {}): Logger {
  const output = destination ?? standardOutput();
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...redactedPaths], censor: redactedText },
      ...(levels && { onChild: levels.add }),
    },
    format === 'pretty' ? prettyStream(output, { color: destination === undefined && useColor() }) : output,
  );
  levels?.add(logger);
  return logger;
}

/** A full disk, or a reader that has gone, loses lines; without a listener it would end the program and with it what it serves. */
function standardOutput(): NodeJS.WriteStream {
  const { stdout } = process;
  if (!stdout.listeners('error').includes(ignore)) stdout.on('error', ignore);
  return stdout;
}

const ignore = (): void => undefined;

/** A child that names the part of the program that speaks, such as `xds` or `admin`. */
export const componentLogger = (logger: Logger, component: string): Logger => logger.child({ component });

// https://no-color.org: any value that is not empty turns colours off.
const useColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR;
