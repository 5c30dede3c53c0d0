import type { DestinationStream } from 'pino';

const colors: Readonly<Record<string, number>> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 36, trace: 90 };

/** Turns pino's JSON lines into lines for people: time of day, level, component, message, then the other fields. */
export function prettyStream(output: DestinationStream, { color }: { readonly color: boolean }): DestinationStream {
  return { write: (line) => output.write(`${prettyLine(line, color)}\n`) };
}

function prettyLine(line: string, color: boolean): string {
  const { time, level, component, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const word = String(level).toUpperCase().padEnd(5);
  const shownLevel = color ? `\u001b[${colors[String(level)] ?? 0}m${word}\u001b[0m` : word;
  const parts = [String(time).slice(11, 23), shownLevel];
  if (component !== undefined) parts.push(`${component}:`);
  if (msg !== undefined) parts.push(msg);
  for (const [key, value] of Object.entries(fields)) parts.push(`${key}=${shownValue(value)}`);
  if (err !== undefined) parts.push(`\n${err.stack ?? err.message ?? shownValue(err)}`);
  return parts.join(' ');
}

interface LogLine {
  readonly time?: string;
  readonly level?: string;
  readonly component?: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

const shownValue = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
