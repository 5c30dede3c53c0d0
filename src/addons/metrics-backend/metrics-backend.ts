import type { Config } from '../../config/index.ts';
import { type AddressGuard, OutgoingError, Turns } from '../../outgoing/index.ts';
import { mask, type SettingsStore } from '../settings/index.ts';
import { type Envelope, nothingKnown } from './envelope.ts';
import { MetricsError, MetricsSettingsError } from './metrics-error.ts';
import { askPrometheus } from './prometheus.ts';
import type { InstantQuestion, RangeQuestion } from './questions.ts';
import {
  changedSettings,
  type MetricsSettings,
  type MetricsSettingsBody,
  readKept,
  settingsInUse,
  settingsName,
} from './settings.ts';

export interface MetricsBackendOptions {
  readonly store: SettingsStore;
  /** What holds until something is set. */
  readonly defaults: Config['metricsBackend'];
  readonly guard: AddressGuard;
  /** For an answer, waiting included; 10,000 by default. */
  readonly timeoutMs?: number;
}

/** Settings as they are shown. */
export interface MetricsConfig {
  readonly configured: boolean;
  readonly prometheusUrl: string;
  /** Masked. */
  readonly authorization: string;
  readonly authorizationSet: boolean;
  readonly tls: MetricsSettings['tls'];
  readonly origin: MetricsSettings['origin'];
  /** Where settings are kept. */
  readonly place: string;
}

/** What came of trying new settings. */
export interface SettingsTest {
  readonly ok: boolean;
  readonly message: string;
}

const atOnce = 32;
const maxWaiting = 256;

/** A configured Prometheus and the queries to it. Settings come from the store each time, so that replicas agree. */
export class MetricsBackend {
  readonly #options: MetricsBackendOptions;
  readonly #turns = new Turns({ most: atOnce, maxWaiting });
  readonly #timeoutMs: number;

  constructor(options: MetricsBackendOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
  }

  /** Whether there is a backend to ask. */
  async isConfigured(): Promise<boolean> {
    return (await this.#inUse()).prometheusUrl !== '';
  }

  async config(): Promise<MetricsConfig> {
    return shown(await this.#inUse(), this.#options.store.place);
  }

  /**
   * Keeps other settings and tries them. They are kept whatever the test says, for a backend may come later; what cannot ever work is
   * rejected with a MetricsSettingsError.
   */
  async change(body: MetricsSettingsBody): Promise<MetricsConfig & { readonly test: SettingsTest }> {
    const { store, defaults, guard } = this.#options;
    const kept = readKept(await store.read(settingsName));
    const changed = changedSettings(body, kept, settingsInUse(kept, defaults));
    if (changed.prometheusUrl !== '') {
      try {
        guard.check(new URL(changed.prometheusUrl));
      } catch (error) {
        if (!(error instanceof OutgoingError)) throw error;
        throw new MetricsSettingsError([{ path: 'prometheusUrl', message: `: ${error.message}` }]);
      }
    }
    await store.write(settingsName, changed);
    const settings = settingsInUse(changed, defaults);
    return { ...shown(settings, store.place), test: await this.#test(settings) };
  }

  /** An instant query. Rejects with MetricsError; `signal` is aborted when the caller leaves. */
  query({ query, time }: InstantQuestion, signal: AbortSignal): Promise<Envelope> {
    const form = { query, ...(time && { time: unixSeconds(time) }) };
    return this.#ask('/api/v1/query', form, 'vector', signal);
  }

  /** A range query. Rejects with MetricsError. */
  queryRange({ query, start, end, step }: RangeQuestion, signal: AbortSignal): Promise<Envelope> {
    const form = { query, start: unixSeconds(start), end: unixSeconds(end), step: String(step) };
    return this.#ask('/api/v1/query_range', form, 'matrix', signal);
  }

  async #ask(
    path: string,
    form: Readonly<Record<string, string>>,
    resultType: 'vector' | 'matrix',
    asker: AbortSignal,
  ): Promise<Envelope> {
    const settings = await this.#inUse();
    if (settings.prometheusUrl === '') return nothingKnown(resultType);
    if (this.#turns.isFull) throw new MetricsError('busy', `${atOnce + maxWaiting} queries are under way already`);
    const signal = AbortSignal.any([asker, AbortSignal.timeout(this.#timeoutMs)]);
    const limited = { ...form, timeout: `${this.#timeoutMs}ms` };
    try {
      return await this.#turns.take(signal, () =>
        askPrometheus(path, limited, { settings, guard: this.#options.guard, signal }),
      );
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      throw new MetricsError(error.code === 'timeout' ? 'timeout' : 'failed', error.message, error);
    }
  }

  async #test(settings: MetricsSettings): Promise<SettingsTest> {
    if (settings.prometheusUrl === '') return { ok: true, message: 'there is no backend to ask any more' };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      await askPrometheus('/api/v1/query', { query: 'vector(1)' }, { settings, guard: this.#options.guard, signal });
      return { ok: true, message: 'the backend answers' };
    } catch (error) {
      if (!(error instanceof MetricsError)) throw error;
      return { ok: false, message: error.message };
    }
  }

  async #inUse(): Promise<MetricsSettings> {
    const { store, defaults } = this.#options;
    return settingsInUse(readKept(await store.read(settingsName)), defaults);
  }
}

const shown = ({ prometheusUrl, authorization, tls, origin }: MetricsSettings, place: string): MetricsConfig => ({
  configured: prometheusUrl !== '',
  prometheusUrl,
  authorization: mask(authorization),
  authorizationSet: authorization !== '',
  tls,
  origin,
  place,
});

const unixSeconds = (time: Date): string => String(time.getTime() / 1000);
