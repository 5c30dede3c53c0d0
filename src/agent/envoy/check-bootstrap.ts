import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '../../config/index.ts';
import { rejectionWords } from '../../contracts/index.ts';
import { parseEnvoyLogLine } from './log-line.ts';

const run = promisify(execFile);

/** Longer than Envoy takes for this on a machine that has hardly any time for it. */
const patienceMs = 120_000;

/**
 * Has Envoy itself look at a bootstrap that holds more than what we know to be good. Throws ConfigError with its words
 * when it rejects it: better no proxy that says why than one that is started over and over.
 */
export async function checkBootstrap(envoyPath: string, args: readonly string[]): Promise<void> {
  try {
    await run(envoyPath, ['--mode', 'validate', ...args], { timeout: patienceMs });
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { readonly stderr?: string };
    const words = complaintIn(stderr) ?? message;
    throw new ConfigError(`dataplane.bootstrap: Envoy rejects it: ${words}; correct that part or remove it`, { cause });
  }
}

/** Before what is wrong: a file of ours, which is gone when it is read. */
const ownFile = /^error initializing configuration '[^']*': /;

/** The last error in what it says, on one line, and without the dump of what it is about. */
export function complaintIn(stderr: string): string | undefined {
  const lines = stderr.split('\n');
  const entries = lines.map(parseEnvoyLogLine);
  const last = entries.findLastIndex((entry) => entry?.level === 'error' || entry?.level === 'fatal');
  const message = entries[last]?.message;
  if (message === undefined) return undefined;
  const next = entries.findIndex((entry, index) => index > last && entry !== undefined);
  return rejectionWords([message, ...lines.slice(last + 1, next < 0 ? undefined : next)].join('\n')).replace(
    ownFile,
    '',
  );
}
