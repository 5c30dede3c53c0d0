import { randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  OtlpSpan_SpanKind as Kind,
  type OtlpSpan,
  OtlpSpanSchema,
  OtlpStatus_StatusCode as StatusCode,
} from '../../envoy/index.ts';
import { attributes, epochNanos, isRecorded, type SpanValue, type TraceContext } from '../../spans/index.ts';

/** A span as it is known here. Times are milliseconds of `performance.now`. */
export interface SpanFacts {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, SpanValue>>;
  /** By whom it was asked for; by default by no one, inside of the process. */
  readonly kind?: 'server' | undefined;
  /** What went wrong. */
  readonly error?: string | undefined;
}

/** W3C: sampled. */
const sampled = 0x1;
/** And it is known, of the parent, that it is of another process. */
const remoteParent = 0x300;

/** One trace that is recorded: its first span, and those below. */
export class Trace {
  readonly #id: Uint8Array;
  readonly #root = randomBytes(8);
  readonly #remote: Uint8Array | undefined;
  /** When `performance.now` was 0, by the clock of the machine as it is now: it may have been set since. The same for all spans of the trace, which so keep their order. */
  readonly #epoch = Date.now() - performance.now();

  private constructor(id: Uint8Array, remote?: Uint8Array) {
    this.#id = id;
    this.#remote = remote;
  }

  /** Undefined where the trace is not recorded. `context`: of the one that asks, whose decision counts. */
  static begin(samplingPercent: number, context?: TraceContext | null): Trace | undefined {
    if (context) {
      const { traceId, parentId, isSampled } = context;
      return isSampled ? new Trace(Buffer.from(traceId, 'hex'), Buffer.from(parentId, 'hex')) : undefined;
    }
    const id = randomBytes(16);
    return isRecorded(id, samplingPercent) ? new Trace(id) : undefined;
  }

  root(facts: SpanFacts): OtlpSpan {
    return this.#span(this.#root, this.#remote, facts);
  }

  /** Below the first one. */
  child(facts: SpanFacts): OtlpSpan {
    return this.#span(randomBytes(8), this.#root, facts);
  }

  #span(spanId: Uint8Array, parent: Uint8Array | undefined, facts: SpanFacts): OtlpSpan {
    const { name, from, to, kind, error } = facts;
    const isRemote = parent !== undefined && parent === this.#remote;
    return create(OtlpSpanSchema, {
      traceId: this.#id,
      spanId,
      parentSpanId: parent ?? new Uint8Array(),
      flags: isRemote ? sampled | remoteParent : sampled,
      name,
      kind: kind === 'server' ? Kind.SERVER : Kind.INTERNAL,
      startTimeUnixNano: epochNanos(this.#epoch + from),
      endTimeUnixNano: epochNanos(this.#epoch + to),
      attributes: attributes(facts.attributes),
      ...(error !== undefined && { status: { code: StatusCode.ERROR, message: error } }),
    });
  }
}
