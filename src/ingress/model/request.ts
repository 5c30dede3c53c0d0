/** A request as it reaches the controller. */
export interface ModelRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** As the client writes it; a port may follow. */
  readonly host: string;
  /** Path and query as they are on the request line. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bodyBytes?: number;
  /** Address of the connection. */
  readonly from?: string;
}

/** Where a request goes, with its part of them all: 1 but for a canary with a weight. */
export interface ModelBackend {
  readonly namespace: string;
  readonly service: string;
  /** Number or name, as the Ingress has it. */
  readonly port: string;
  readonly share: number;
}

/** What the backend gets instead of the request's own. */
export interface Forwarded {
  readonly backends: readonly ModelBackend[];
  /** Path and query on the request line to the backend; undefined: only nginx can say. */
  readonly target: string | undefined;
  readonly host: string;
  /** In place of the client's own, by lower-case name; undefined: the backend gets none. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly retries: Retries;
}

/** When a request is sent to another endpoint. Source: `proxy_next_upstream`. */
export interface Retries {
  /** With the first one; 0: as many as there are endpoints. */
  readonly tries: number;
  /** `error`, `timeout`, `http_502` and the like. */
  readonly after: readonly string[];
  /** Of this request nothing is repeated once it was sent: POST, PATCH and LOCK, unless `non_idempotent` is said. */
  readonly isOnce: boolean;
}

/** The rules by which ingress-nginx answers. */
export const ruleNames = [
  'malformed',
  'unknown-host',
  'no-path',
  'exact-path',
  'prefix-path',
  'regex-path',
  'slash-redirect',
  'rewrite',
  'https-redirect',
  'app-root',
  'redirect',
  'www-redirect',
  'cors-preflight',
  'canary',
  'body-size',
  'no-endpoints',
  'not-allowed',
  'login',
  'bad-annotation',
  'tls-passthrough',
  'client-certificate',
  'snippet',
] as const;

export type RuleName = (typeof ruleNames)[number];

/** What ingress-nginx does with a request. */
export interface ModelAnswer {
  /** What it answers itself; undefined: the backend does. */
  readonly status?: number;
  /** Of a redirect. */
  readonly location?: string;
  /** That it sets on the answer, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly forwarded?: Forwarded;
  /** The rule that decided. */
  readonly rule: RuleName;
  /** In one sentence. */
  readonly reason: string;
  /** `NAMESPACE/NAME` of the Ingress that the location is of. */
  readonly ingress?: string;
  /** What it depends on that the world does not say. The answer holds but for that. */
  readonly open: readonly string[];
}

export const headerOf = ({ headers }: ModelRequest, name: string): string | undefined =>
  headers.find(([each]) => each === name)?.[1];
