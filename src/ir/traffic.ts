/** Which compressions are offered to clients, in the order of preference. Sizes in bytes. */
export interface Compression {
  readonly algorithms: readonly ('zstd' | 'brotli' | 'gzip')[];
  /** Answers whose length is known and smaller stay as they are. */
  readonly minBytes: number;
  /** Types of content, without parameters. Undefined: those that compress well. */
  readonly contentTypes?: readonly string[];
}

/** Larger bodies are answered 413, without keeping them. */
export interface RequestBody {
  readonly maxBytes: number;
}

/** What is done to some requests, to see how clients bear it. Shares are of a million. */
export interface Faults {
  readonly delay?: { readonly ms: number; readonly perMillion: number };
  readonly abort?: { readonly status: number; readonly perMillion: number };
  /** Only requests with this header. Without `value`: with any. */
  readonly header?: { readonly name: string; readonly value?: string };
}

/** What policies have done to requests and answers by filters. */
export interface TrafficFilters {
  readonly compression?: Compression;
  readonly requestBody?: RequestBody;
  readonly faults?: Faults;
}

export type TrafficFilter = keyof TrafficFilters;

/** On a route each in place of what its table has: `disabled` is nothing. */
export type RouteTraffic = { readonly [F in TrafficFilter]?: NonNullable<TrafficFilters[F]> | 'disabled' };

/** What all requests to some listeners of a table meet, unless their route says otherwise. */
export interface TrafficPart {
  readonly filters: TrafficFilters;
  /** Hostnames of the listeners that it is for; undefined: all requests of the table. */
  readonly hostnames?: readonly string[];
}

export interface TableTraffic {
  readonly parts: readonly TrafficPart[];
  /** Hostnames of all listeners of the table, where some part is not for all of them. */
  readonly hostnames?: readonly string[];
}
