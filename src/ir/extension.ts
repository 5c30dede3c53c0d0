/** How a processor gets a body: piece by piece as it comes, as one, or what of it fits into the proxy's buffer. */
export type ProcessedBody = 'streamed' | 'buffered' | 'bufferedPartial';

/** What a processor gets of requests, or of answers. */
export interface ProcessedHalf {
  readonly headers: boolean;
  /** Undefined: no body. */
  readonly body?: ProcessedBody;
  readonly trailers: boolean;
  /** Envoy's names of attributes. */
  readonly attributes: readonly string[];
}

/** A server that is sent requests and answers on their way, and may change or answer them. */
export interface Processor {
  readonly kind: 'processor';
  /** Key of an ir.Backend. */
  readonly backend: string;
  /** Host of the calls. */
  readonly authority: string;
  readonly request: ProcessedHalf;
  readonly response: ProcessedHalf;
  /** Names of the headers that it gets, in lower case. Empty: all. */
  readonly headers: readonly string[];
  /** Namespaces of dynamic metadata that it gets. */
  readonly metadata: readonly string[];
  /** For each message. */
  readonly timeoutMs: number;
  readonly statusOnError: number;
  /** Requests go on without it where it fails. */
  readonly failOpen?: true;
  /** Nothing waits for it, and it changes nothing. */
  readonly shadow?: true;
}

/** Lua of users that Envoy runs itself. */
export interface Script {
  readonly kind: 'script';
  readonly source: string;
  /** Requests go on where it fails. */
  readonly failOpen?: true;
}

/** WebAssembly of users that Envoy runs itself. */
export interface Module {
  readonly kind: 'module';
  /** Key of the ir.Backend that has the code. */
  readonly backend: string;
  /** Of the code: ir.ModuleCode.digest. */
  readonly digest: string;
  /** `NAMESPACE/NAME` of the policy: no two share what their modules have in memory. */
  readonly owner: string;
  /** Of the plugin; empty where the module has one alone. */
  readonly rootId: string;
  /** JSON; empty: none. */
  readonly configuration: string;
  /** Requests go on where it fails. */
  readonly failOpen?: true;
}

/** Code of users that sees requests on their way. */
export type Extension = Processor | Script | Module;

/** The places that extensions of one request have, in their order. */
export const extensionPlaces = ['firstExtension', 'secondExtension'] as const;
export type ExtensionPlace = (typeof extensionPlaces)[number];

/** By their place: `disabled` and `closed` as in RouteTraffic. */
type Placed = { readonly [P in ExtensionPlace]?: Extension | 'disabled' | 'closed' };

/** Keys of the backends that extensions send requests to, or that have their code. */
export const extensionBackends = (filters: Placed = {}): readonly string[] =>
  extensionPlaces.flatMap((place) => {
    const extension = filters[place];
    return typeof extension === 'object' && extension.kind !== 'script' ? extension.backend : [];
  });

/** Whether no request may pass where it is missing. */
export const mayNotBeMissing = (extension: Extension): boolean =>
  !extension.failOpen && !(extension.kind === 'processor' && extension.shadow);
