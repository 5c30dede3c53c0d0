/** The trace that a request came with. Source: W3C Trace Context, `traceparent`. */
export interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly parentId: string;
  /** Whether the sender decided that the trace is recorded. */
  readonly isSampled: boolean;
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Null for what is no such header; later versions may have more behind it. */
export function readTraceparent(header: string | undefined): TraceContext | null {
  const [, traceId, parentId, flags] = form.exec(header ?? '') ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return null;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
