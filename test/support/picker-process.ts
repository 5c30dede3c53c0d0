import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import type { Endings } from './endings.ts';
import { processState } from './process-state.ts';
import { until } from './until.ts';

interface PickerReport {
  /** Requests that wait for it. */
  readonly waiting: number;
  /** Connections that ended, as where a busy machine held up its answers to pings. */
  readonly lost: number;
}

/** An endpoint picker that is a process of its own, so that it can be killed and stopped. It picks what the header `x-want` says. Ends with the test. */
export class PickerProcess {
  readonly port: number;
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(t: Endings): Promise<PickerProcess> {
    const picker = new PickerProcess(await freePort());
    t.teardown(() => picker.kill());
    await picker.run();
    return picker;
  }

  async run(): Promise<void> {
    const child = fork(join(import.meta.dirname, 'picker-main.ts'), [String(this.port)]);
    this.#child = child;
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the picker ended with ${code}`)));
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
  }

  /** It answers pings, and picks nothing until it speaks again. */
  mute(): Promise<PickerReport> {
    return this.#say('mute');
  }

  speak(): Promise<PickerReport> {
    return this.#say('speak');
  }

  report(): Promise<PickerReport> {
    return this.#say('report');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its port and its connections, and does nothing. */
  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await until('the picker to be stopped', () => processState(this.#child?.pid) === 'T');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async #say(what: 'report' | 'mute' | 'speak'): Promise<PickerReport> {
    if (!this.#child) throw new Error('the picker was not started');
    const said = once(this.#child, 'message');
    this.#child.send(what);
    const [report] = await said;
    return report;
  }
}
