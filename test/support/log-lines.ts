import { type Logger, pino } from 'pino';

/** A logger whose lines can be looked at. */
export interface LogLines {
  readonly logger: Logger;
  /** The lines so far, each an object as pino writes it. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The lines that have this text for a message or a reason. */
  find(pattern: RegExp): readonly Readonly<Record<string, unknown>>[];
}

export function logLines(level = 'info'): LogLines {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const find = (pattern: RegExp) => lines.filter(({ msg, reason }) => pattern.test(`${msg}: ${reason}`));
  return { logger, lines, find };
}
