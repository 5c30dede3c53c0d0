import { type Extension, type ExtensionPlace, extensionBackends, extensionPlaces } from './extension.ts';

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
  /** With a status of HTTP, or one of gRPC. */
  readonly abort?: { readonly status?: number; readonly grpcStatus?: number; readonly perMillion: number };
  /** Only requests with this header. Without `value`: with any. */
  readonly header?: { readonly name: string; readonly value?: string };
}

/** Requests are kept until they are complete. Larger ones are answered 413. */
export interface Buffering {
  readonly maxBytes: number;
}

/** How fast bodies are sent, in KiB per second. */
export interface Bandwidth {
  /** Each answer by itself. */
  readonly answerKiB?: number;
  /** All requests of one proxy together. */
  readonly total?: BandwidthTotal;
}

interface BandwidthTotal {
  readonly requestKiB?: number;
  readonly answerKiB?: number;
  /** Of a route: what counts together, by a name that is the same for all of it. Of a table, all that the part is for does. */
  readonly of?: string;
}

/** Calls of gRPC-Web become calls of gRPC, and their answers answers of gRPC-Web. */
export type GrpcWeb = Readonly<Record<never, never>>;

/** A share of the requests is rejected while too few of those before have succeeded. Rates in percent. */
export interface Admission {
  readonly successRate: number;
  /** Of requests that are counted. */
  readonly windowMs: number;
  /** With fewer requests per second none is rejected. */
  readonly minRequestsPerSecond: number;
  readonly maxRejected: number;
}

/** What clients get in place of the body of an error. */
export interface ErrorPage {
  readonly codes: readonly number[];
  readonly classes: readonly ('4xx' | '5xx')[];
  /** Whose errors: of Envoy itself, or of backends. Undefined: both. */
  readonly from?: 'proxy' | 'backend';
  /** Of the answer. Undefined: as the error has it. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
}

/** A server that is asked for the page of some errors. */
export interface AskedPage {
  readonly codes: readonly number[];
  readonly classes: readonly ('4xx' | '5xx')[];
  readonly server: PageServer;
}

export interface PageServer {
  /** Key of an ir.Backend. */
  readonly backend: string;
  readonly path: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Clients get the status of its answer, in place of the error's. */
  readonly givesStatus?: true;
  readonly timeoutMs: number;
}

/** Keys of the backends that filters of policies send requests to, or that have their code. */
export const trafficBackends = (filters: RouteTraffic = {}): readonly string[] => [
  ...extensionBackends(filters),
  ...(typeof filters.errorPages === 'object' ? filters.errorPages : []).flatMap((page) =>
    'server' in page ? page.server.backend : [],
  ),
];

/** Whether answers wait for a server that has pages. */
export const asksForPages = ({ errorPages }: RouteTraffic): boolean =>
  typeof errorPages === 'object' && errorPages.some((page) => 'server' in page);

/** The beginning of the answer's Location that is replaced: the first that fits. */
export interface LocationChange {
  readonly from: string;
  readonly to: string;
}

/** Of attributes of an answer's cookies. */
export interface CookieChanges {
  /** The beginning of a path, by whole segments: the first that fits. */
  readonly path?: readonly LocationChange[];
  /** A whole domain, in lower case. */
  readonly domain?: readonly LocationChange[];
  readonly secure?: true;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

/** What policies have done to requests and answers by filters. */
export interface TrafficFilters {
  readonly compression?: Compression;
  /** The first that fits; all of them are asked for, or none. */
  readonly errorPages?: readonly (ErrorPage | AskedPage)[];
  readonly requestBody?: RequestBody;
  readonly faults?: Faults;
  readonly buffering?: Buffering;
  readonly firstExtension?: Extension;
  readonly secondExtension?: Extension;
  readonly responseLocation?: readonly LocationChange[];
  readonly responseCookies?: CookieChanges;
  readonly grpcWeb?: GrpcWeb;
  readonly admission?: Admission;
  readonly bandwidth?: Bandwidth;
}

export type TrafficFilter = keyof TrafficFilters;

/** On a route each in place of what its table has: `disabled` is nothing, `closed` answers 503. */
export type RouteTraffic = { readonly [F in TrafficFilter]?: NonNullable<TrafficFilters[F]> | 'disabled' | 'closed' };

/** By filter, the key of the policy that it is from. */
export type TrafficSources = { readonly [F in TrafficFilter]?: string };

/** How what one policy has of one filter is called where proxies reject it: `NAMESPACE/NAME#FILTER`. */
export const trafficKey = (policy: string, filter: TrafficFilter): string =>
  isExtensionPlace(filter) ? extensionKey(policy) : `${policy}#${filter}`;

const isExtensionPlace = (filter: string): filter is ExtensionPlace =>
  (extensionPlaces as readonly string[]).includes(filter);

/** The same of a policy that has an extension, in whichever place. */
export const extensionKey = (policy: string): string => `${policy}${extensionMark}`;
const extensionMark = '#extension';

export const isExtensionKey = (key: string): boolean => key.endsWith(extensionMark);

/** Of such a key, the policy. */
export const policyOfTraffic = (key: string): string => key.slice(0, key.lastIndexOf('#'));

/** What all requests to some listeners of a table meet, unless their route says otherwise. */
export interface TrafficPart {
  readonly filters: TrafficFilters;
  readonly sources: TrafficSources;
  /** Filters that let no request pass, since proxies reject them. */
  readonly closed?: readonly TrafficFilter[];
  /** Hostnames of the listeners that it is for; undefined: all requests of the table. */
  readonly hostnames?: readonly string[];
}

export interface TableTraffic {
  readonly parts: readonly TrafficPart[];
  /** Hostnames of all listeners of the table, where some part is not for all of them. */
  readonly hostnames?: readonly string[];
}
