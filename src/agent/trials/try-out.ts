import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { availableMemory } from 'node:process';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { complaintIn } from '../envoy/check-bootstrap.ts';
import { dieWithParent } from '../envoy/die-with-parent.ts';
import { envoyLogFormat } from '../envoy/log-line.ts';
import { type TriedResource, trialFile } from './trial-file.ts';
import { type Excess, shortOfMemory, type TrialLimits, watchChild, yieldToOthers } from './watch-child.ts';

/** The Envoy that serves, as far as another one is to be like it. */
export interface TriedEnvoy {
  readonly path: string;
  /** Where it runs: paths in resources may begin there. */
  readonly folder: string;
  /** Its own bootstrap, in JSON. */
  readonly bootstrap: string;
}

/** Valid; what Envoy says against it; or why that is not known. */
export type Verdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'untried'; readonly reason: string };

const mib = 1024 * 1024;
const usualLimits: TrialLimits = { memoryBytes: 256 * mib, cpuMs: 10_000, totalMs: 120_000, spareBytes: 32 * mib };
/** What one takes that has nothing wrong with it. */
const neededBytes = 96 * mib;
/** One argument of a program has at most 128 KiB, in Linux. */
const longestArgument = 128 * 1024 - 1;
/** Of what it says: an Envoy that complains without end fills no memory of ours. */
const longestOutput = 64 * 1024;
const [notStarted, notFound] = [126, 127];
/** Beside what it shares with others: they and the agent's other files have other names. */
const fileName = 'trial.pb';

/**
 * Has an Envoy look at resources as the one that serves would, without any port, connection or request of its own, and ends it. To be called for one trial at
 * a time. Never rejects.
 */
export async function tryOut(
  resources: readonly TriedResource[],
  envoy: TriedEnvoy,
  clock: Clock,
  limits: TrialLimits = usualLimits,
): Promise<Verdict> {
  if (availableMemory() < neededBytes + limits.spareBytes) return { kind: 'untried', reason: shortOfMemory() };
  if (Buffer.byteLength(envoy.bootstrap) > longestArgument)
    return { kind: 'untried', reason: "the proxy's bootstrap is longer than an argument of a program may be" };
  const file = `${envoy.folder}/${fileName}`;
  try {
    await writeFile(file, trialFile(resources), { mode: 0o600 });
    return await run(file, envoy, clock, limits);
  } catch (error) {
    return { kind: 'untried', reason: (error as Error).message };
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

async function run(file: string, envoy: TriedEnvoy, clock: Clock, limits: TrialLimits): Promise<Verdict> {
  const { path, args, watched } = dieWithParent(envoy.path, argumentsFor(file, envoy.bootstrap));
  const child = spawn(path, args, {
    cwd: envoy.folder,
    detached: true,
    stdio: [watched ? 'pipe' : 'ignore', 'ignore', 'pipe'],
  });
  child.stdin?.on('error', () => undefined);
  const said = tail(child.stderr as Readable);
  const closed = once(child, 'close');
  // Where it cannot be started, that is what is reported.
  closed.catch(() => undefined);
  const over = new AbortController();
  // It may end before it can be watched.
  child.once('exit', () => {
    over.abort();
    child.stdin?.end('\n');
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  await yieldToOthers(pid);
  const watching = watchChild(pid, limits, { clock, ended: over.signal }).then((excess) => {
    if (excess) child.kill('SIGKILL');
    return excess;
  });
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  return verdictOf({ code, signal, excess: await watching, words: said() });
}

/** Both are laid over one another, which puts the lists of one behind those of the other. */
const argumentsFor = (file: string, bootstrap: string): string[] => [
  '--mode',
  'validate',
  '--config-path',
  file,
  '--config-yaml',
  bootstrap,
  '--disable-hot-restart',
  '--concurrency',
  '1',
  '--log-level',
  'error',
  '--log-format',
  envoyLogFormat,
];

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly excess: Excess | undefined;
  readonly words: string;
}

function verdictOf({ code, signal, excess, words }: End): Verdict {
  if (code === 0) return { kind: 'valid' };
  if (excess)
    return excess.isOwn ? { kind: 'rejected', message: excess.reason } : { kind: 'untried', reason: excess.reason };
  // The machine ended it, where memory is short, or an operator did.
  if (signal === 'SIGKILL' || signal === 'SIGTERM') return { kind: 'untried', reason: `it was ended by ${signal}` };
  // Of the shell that watches over it.
  if (code === notStarted || code === notFound) return { kind: 'untried', reason: 'Envoy cannot be started' };
  // What it writes when it crashes is where it was.
  const complaint = signal ? undefined : complaintIn(words);
  return {
    kind: 'rejected',
    message: complaint ?? `Envoy ends with ${signal ?? `exit code ${code}`} when it reads it`,
  };
}

/** The last of what comes. */
function tail(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-longestOutput);
  });
  return () => text;
}
