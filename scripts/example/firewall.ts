import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ensureFirewall } from '../setup/firewall.mjs';
import type { ExampleBackend } from './example-backend.ts';

/** The firewall as it runs, which says on its output what it finds. */
export interface Firewall extends ExampleBackend {
  /** Called with each line of its log. */
  onLine(listener: (line: FirewallLine) => void): void;
}

/** A line of its log, as far as it is of use here. */
export interface FirewallLine {
  readonly msg: string;
  readonly address?: string;
  readonly transaction?: string;
  readonly rule?: number;
}

/** Starts the program of `examples/waf/processor`. */
export async function startFirewall(
  address: string,
  port: number,
  parameters: readonly string[] = [],
): Promise<Firewall> {
  const program = await ensureFirewall();
  const child = spawn(program, ['-listen', `${address}:${port}`, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listeners: ((line: FirewallLine) => void)[] = [];
  const lines = createInterface({ input: child.stdout });
  const listening = new Promise<string>((resolve, reject) => {
    lines.on('line', (text) => {
      const line = JSON.parse(text) as FirewallLine;
      if (line.msg === 'listening') resolve(line.address ?? '');
      else for (const listener of listeners) listener(line);
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the firewall ended with ${code}`)));
  });
  const used = await listening;
  return {
    port: Number(used.slice(used.lastIndexOf(':') + 1)),
    onLine: (listener) => void listeners.push(listener),
    close: () => end(child),
  };
}

async function end(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  // A proxy that is still there would hold a graceful end up.
  child.kill('SIGKILL');
  await closed;
}
