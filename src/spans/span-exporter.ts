import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { authorizationOf, type Config, readTokenFile } from '../config/index.ts';
import {
  ExportTraceServiceRequestSchema,
  type ExportTraceServiceResponse,
  ExportTraceServiceResponseSchema,
  type OtlpSpan,
} from '../envoy/index.ts';
import { type AddressGuard, below, bodyOf, open } from '../outgoing/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { attributes } from './attributes.ts';

/** Where spans are sent, and as whose. */
export type ReceiverConfig = Omit<Config['aiSpans'], 'samplingPercent' | 'otlpUrl'> & { readonly otlpUrl: string };

/** What became of spans: `sent`, `refused` by the receiver, or `dropped` because the receiver was away too long. */
export type SpanResult = 'sent' | 'refused' | 'dropped';

export interface SpanExporterOptions {
  readonly config: ReceiverConfig;
  /** The key of the configuration that `config` is of, for the log. */
  readonly section: string;
  /** The instrumentation scope's name, such as `gatewright.ai`. */
  readonly scope: string;
  readonly guard: AddressGuard;
  readonly version: string;
  /** `service.instance.id`: who exports. */
  readonly instance: string;
  readonly logger: Logger;
  readonly onResult: (result: SpanResult, count: number) => void;
}

const batchSize = 512;
/** What waits while the receiver is away; what comes then is dropped. */
const maxWaiting = 8192;
/** How long a span waits for others to travel with. */
const gatherMs = 1000;
const timeoutMs = 10_000;
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
const lastWordMs = 3000;
const maxAnswerBytes = 64 * 1024;
/** The receiver wants them again later. Source: OTLP/HTTP, Retryable Response Codes. */
const retryable = new Set([429, 502, 503, 504]);

/** Never taken, however often it is tried. */
class Rejected extends Error {}

/** Not taken now: when to try again, where the receiver says so. */
class Busy extends Error {
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs: number | undefined) {
    super(message);
    this.afterMs = afterMs;
  }
}

/**
 * Sends spans by OTLP over HTTP, in batches. A receiver that is away or busy is tried again; what does not
 * fit meanwhile is dropped and counted. Nothing waits for it.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #url: URL;
  #waiting: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isStopping = false;
  #hasWarned = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#url = below(new URL(options.config.otlpUrl), '/v1/traces');
  }

  add(span: OtlpSpan): void {
    if (this.#isStopping || this.#waiting.length >= maxWaiting) {
      this.#options.onResult('dropped', 1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= batchSize) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), gatherMs).unref();
  }

  /** Sends what waits, if the receiver takes it now. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake?.();
    this.#begin();
    const late = new Promise<void>((resolve) => setTimeout(resolve, lastWordMs).unref());
    await Promise.race([this.#sending, late]);
    this.#drop(this.#waiting.splice(0));
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async #send(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize);
      try {
        const answer = await this.#export(batch);
        this.#taken(batch, answer);
        pauseMs = firstPauseMs;
      } catch (error) {
        if (error instanceof Rejected) {
          this.#waiting.splice(0, batch.length);
          this.#rejected(batch.length, error.message);
          continue;
        }
        this.#warnOnce((error as Error).message);
        if (this.#isStopping) return;
        const asked = error instanceof Busy ? error.afterMs : undefined;
        await this.#pause(Math.min(maxPauseMs, asked ?? pauseMs));
        pauseMs = Math.min(maxPauseMs, pauseMs * 2);
      }
    }
  }

  /** Rejects with Rejected where it is not to be tried again. */
  async #export(spans: readonly OtlpSpan[]): Promise<ExportTraceServiceResponse> {
    const { config, guard } = this.#options;
    const authorization = authorizationOf(config);
    const request = {
      url: this.#url,
      method: 'POST' as const,
      headers: {
        'content-type': 'application/x-protobuf',
        ...(authorization !== undefined && { authorization }),
      },
      body: this.#encoded(spans),
      tls: {
        insecureSkipVerify: config.insecureSkipVerify,
        ...(config.serverName !== undefined && { serverName: config.serverName }),
        ...(config.caFile !== undefined && { caCertificate: readTokenFile(config.caFile).reveal() }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    };
    const response = await open(request, guard);
    const chunks: Buffer[] = [];
    for await (const chunk of bodyOf(response, request, maxAnswerBytes)) chunks.push(chunk);
    const { statusCode = 0, headers } = response;
    if (retryable.has(statusCode)) throw new Busy(`it answers ${statusCode}`, retryAfterMs(headers['retry-after']));
    if (statusCode !== 200) throw new Rejected(`it answers ${statusCode}`);
    return readAnswer(Buffer.concat(chunks));
  }

  #encoded(spans: readonly OtlpSpan[]): Uint8Array {
    const { config, version, instance, scope: name } = this.#options;
    const resource = attributes({
      'service.name': config.serviceName,
      'service.version': version,
      'service.instance.id': instance,
    });
    const scope = { name, version };
    return toBinary(
      ExportTraceServiceRequestSchema,
      create(ExportTraceServiceRequestSchema, {
        resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: [...spans] }] }],
      }),
    );
  }

  #taken(batch: readonly OtlpSpan[], { partialSuccess }: ExportTraceServiceResponse): void {
    this.#waiting.splice(0, batch.length);
    const rejected = Math.min(batch.length, Number(partialSuccess?.rejectedSpans ?? 0n));
    this.#options.onResult('sent', batch.length - rejected);
    if (rejected > 0) this.#rejected(rejected, partialSuccess?.errorMessage ?? '');
    else this.#hasWarned = false;
  }

  #rejected(count: number, message: string): void {
    this.#options.onResult('refused', count);
    this.#warnOnce(message);
  }

  #drop(left: readonly OtlpSpan[]): void {
    if (left.length > 0) this.#options.onResult('dropped', left.length);
  }

  /** Once, until it is over. */
  #warnOnce(message: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.logger.warn(
      { url: this.#url.href, reason: message.slice(0, 300), waiting: this.#waiting.length },
      `spans cannot be delivered: see ${this.#options.section} in the configuration and the receiver`,
    );
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function readAnswer(bytes: Buffer): ExportTraceServiceResponse {
  try {
    return fromBinary(ExportTraceServiceResponseSchema, bytes);
  } catch {
    // A receiver that took them and answers in other words took them.
    return create(ExportTraceServiceResponseSchema);
  }
}

/** Seconds, or a date. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^[0-9]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
