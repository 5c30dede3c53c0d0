import { type AgentCore, buildCore } from './agent-core.ts';
import { envoySpec } from './envoy-spec.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import { type Running, startRunning } from './running.ts';
import { type AgentState, observe } from './state.ts';

/** What of the options can be another while the agent runs. */
export type EnvoyChanges = Partial<Pick<DataPlaneAgentOptions, 'envoyPath' | 'bootstrap' | 'logLevel' | 'drainTimeMs'>>;

/**
 * The data plane's agent: starts Envoy and keeps it running, relays its configuration from the control plane, and reports
 * its state on the admin API. One agent, one start, one stop.
 */
export class DataPlaneAgent {
  #options: DataPlaneAgentOptions;
  #lastState: AgentState | undefined;
  readonly #core: AgentCore;
  readonly #hurry = new AbortController();
  #started: Promise<Running> | undefined;
  #running: Running | undefined;
  #stopped: Promise<void> | undefined;

  /** Throws ConfigError for a key file that cannot be used. */
  constructor(options: DataPlaneAgentOptions) {
    this.#options = options;
    this.#core = buildCore(options);
  }

  /** The port of the admin API. Throws before `start` has resolved. */
  get adminPort(): number {
    if (!this.#running) throw new Error('the agent is not running');
    return this.#running.http.port;
  }

  /** Envoy's process id; undefined while it is not running. */
  get envoyPid(): number | undefined {
    return this.#running?.envoys.pid;
  }

  /**
   * Opens the admin API and starts Envoy; resolves when both are under way, which is before there is configuration.
   * Rejects with ConfigError, leaving nothing behind, when Envoy's binary, the port, the work directory or an
   * addition to the bootstrap is not usable.
   * `signal` stops the agent as `stop` does.
   */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#started || this.#stopped) throw new Error('an agent starts only once');
    signal?.throwIfAborted();
    this.#started = startRunning(this.#options, this.#core, () => this.state());
    this.#running = await this.#started;
    if (!signal) return;
    if (signal.aborted) await this.stop();
    signal.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /**
   * Drains Envoy, ends it, and ends the agent. Resolves when no process, port or file is left; can be called more than
   * once. `drain: false` ends Envoy without waiting for open connections, also when a drain is already under way.
   */
  stop({ drain = true }: { readonly drain?: boolean } = {}): Promise<void> {
    if (!drain) this.#hurry.abort();
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** How the data plane is now. */
  async state(): Promise<AgentState> {
    const { envoys } = await this.#get();
    // An Envoy that hands over cannot be asked, and serves.
    if (envoys.handingOver && this.#lastState) return this.#lastState;
    const { pid } = envoys;
    const draining = () => this.#stopped !== undefined;
    const { relay, upstream, names, cache, geoFiles } = this.#core;
    const parts = { process: envoys, admin: envoys.admin, relay, upstream, draining };
    const faults = { rejectedNames: names.rejections.list(), geoFaults: geoFiles.faults.map(({ message }) => message) };
    const state = await observe({ ...parts, cache: cache?.state, ...faults });
    if (envoys.handingOver) return this.#lastState ?? state;
    // One that has handed over while it was asked says nothing of the one that serves now.
    if (envoys.pid !== pid && envoys.pid !== undefined) return await this.state();
    this.#lastState = state;
    return state;
  }

  /**
   * Puts an Envoy with other settings in the place of the present one, with open connections kept. Resolves when it serves, or when it
   * is known that it cannot: then the one before goes on, and `state` says why.
   */
  async upgrade(changes: EnvoyChanges): Promise<void> {
    const { envoys, http } = await this.#get();
    this.#options = { ...this.#options, ...changes };
    await this.state();
    const { names } = this.#core;
    await envoys.upgrade(envoySpec(this.#options, () => ({ adminPort: http.port, nameServer: names.address })));
  }

  /** Resolves when the data plane is ready; rejects when `signal` is aborted before. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!(await this.state()).ready) await this.#core.clock.delay(20, signal);
  }

  #get(): Promise<Running> {
    return this.#started ?? Promise.reject(new Error('the agent is not running'));
  }

  async #stop(): Promise<void> {
    const running = await this.#started?.catch(() => undefined);
    if (!running) return;
    const { envoys, asks, limitSocket, disconnect, sessions, passwords, workDir, http, traffic, tasks } = running;
    const { signal } = this.#hurry;
    const { minDrainTimeMs = 0 } = this.#options;
    if (!signal.aborted) await envoys.drain({ minDrainTimeMs, signal });
    // What was counted last goes with Envoy.
    if (!signal.aborted) await traffic.read();
    await envoys.stop();
    await Promise.all([this.#core.usage.stop(), this.#core.reports.stop()]);
    this.#core.limits.stop();
    this.#core.client.close();
    disconnect.abort();
    asks.close();
    limitSocket.close();
    sessions.close();
    await passwords.close();
    this.#core.names.close();
    await Promise.all(tasks);
    await http.close();
    await workDir.remove();
  }
}
