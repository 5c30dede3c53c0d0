import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from '../../telemetry/index.ts';
import { type LogLevel, parseEnvoyLogLine } from './log-line.ts';

/** Writes Envoy's log into ours, line by line, and remembers the last complaint. */
export class LogForwarder {
  readonly #logger: Logger;
  #level: LogLevel = 'info';
  #lastComplaint: string | undefined;
  #isEnding = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The last line at level error or worse: why Envoy ended, when it ended by itself. */
  get lastComplaint(): string | undefined {
    return this.#lastComplaint;
  }

  /** Envoy was asked to end: that it does, and that its streams close, it calls a warning, and it is none. */
  expectEnd(): void {
    this.#isEnding = true;
  }

  /** Forwards until `output` ends; resolves then. */
  async forward(output: Readable): Promise<void> {
    const lines = createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => this.#take(line));
    await once(lines, 'close');
  }

  #take(line: string): void {
    const parsed = parseEnvoyLogLine(line);
    // A line without a head goes on with the message before it, at the same level.
    if (parsed) this.#level = parsed.level;
    const message = parsed?.message ?? line;
    if (this.#level === 'error' || this.#level === 'fatal') this.#lastComplaint = message;
    const level = this.#isEnding && this.#level === 'warn' ? 'debug' : this.#level;
    this.#logger[level](parsed ? { envoy_component: parsed.component } : {}, message);
  }
}
