/** gRPC path on which agents take from limits that all proxies of a Gateway share; messages are JSON. Not known to older control planes. */
export const takesPath = '/gatewright.agent.v1.Limits/Take';

/**
 * The domain of Envoy's requests about shared limits, and the entry that each of its descriptors begins with. `target`: the next one, of a policy that
 * has several. `key`: the other entry of one about a response. Its value is what the answer to the request left in this metadata of Envoy, by
 * rememberedAs.
 */
export const limitDescriptor = {
  domain: 'gatewright.limits',
  bucket: 'bucket',
  target: 'target',
  key: 'key',
  metadata: 'envoy.filters.http.ratelimit',
} as const;

/** What messages about limits may hold. */
export const takeLimits = {
  /** Of one message. */
  takes: 1000,
  windows: 4,
  textLength: 700,
  /** Tokens of one take. */
  tokens: 4_294_967_295,
} as const;

/** In the long run `requests` in each window of `perMs` milliseconds, and no more than `burst` at once. */
export interface SharedWindow {
  readonly requests: number;
  readonly perMs: number;
  readonly burst: number;
}

/** A bucket as Envoy's configuration names it. All that the agent needs to know is in that text, so that it needs no table. */
export interface SharedBucket {
  /** `NAMESPACE/POLICY/BUCKET` */
  readonly id: string;
  /** At least one, at most four. */
  readonly windows: readonly SharedWindow[];
  /** Nothing is rejected. */
  readonly shadow: boolean;
  /** Answers say how much is left. */
  readonly headers?: 'xRateLimit' | 'rateLimit' | undefined;
  /** Responses cost something: the answer about a request says under which key. */
  readonly remembers?: boolean | undefined;
  /** It is about a response: what it costs is taken whatever is left, and at most so much. */
  readonly charges?: number | undefined;
  /** Requests are rejected while no control plane says whether they come through. */
  readonly closes: boolean;
}

/** Under which name the key of a request is kept until its response has ended. */
export const rememberedAs = (id: string, target: string | undefined): string =>
  target === undefined ? id : `${id} ${target}`;

/** What its policy calls a bucket, of `NAMESPACE/POLICY/BUCKET`. */
export const parseBucketId = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

/** Key of its policy. */
export const parsePolicyOfBucketId = (id: string): string => id.slice(0, id.lastIndexOf('/'));

const headerFlags = { xRateLimit: 'x', rateLimit: 'i' } as const;

/** `NAMESPACE/POLICY/BUCKET|REQUESTS/MS/BURST,…|FLAGS` */
export const sharedBucketText = (bucket: SharedBucket): string =>
  `${bucket.id}|${windowsText(bucket.windows)}|${flagsText(bucket)}`;

function flagsText({ shadow, headers, closes, remembers, charges }: SharedBucket): string {
  const flags = [shadow && 's', headers && headerFlags[headers], closes && 'c', remembers && 'r'];
  return `${flags.filter(Boolean).join('')}${charges === undefined ? '' : `d${charges}`}`;
}

const windowsText = (windows: readonly SharedWindow[]): string =>
  windows.map(({ requests, perMs, burst }) => `${requests}/${perMs}/${burst}`).join(',');

/** What of such a text says which bucket it is: another limit is another bucket. */
export const bucketName = ({ id, windows }: Pick<SharedBucket, 'id' | 'windows'>): string =>
  `${id}|${windowsText(windows)}`;

/** Undefined for what is no such text. */
export function parseSharedBucket(text: string): SharedBucket | undefined {
  const [id = '', list = '', flags = '', more] = text.split('|');
  const windows = list.split(',').map(parseWindow);
  const isWhole = windows.length <= takeLimits.windows && windows.every((window) => window !== undefined);
  if (id === '' || !isWhole || more !== undefined || text.length > takeLimits.textLength) return undefined;
  return {
    id,
    windows: windows as SharedWindow[],
    shadow: flags.includes('s'),
    headers: flags.includes('x') ? 'xRateLimit' : flags.includes('i') ? 'rateLimit' : undefined,
    closes: flags.includes('c'),
    ...(flags.includes('r') && { remembers: true }),
    ...chargesIn(flags),
  };
}

function chargesIn(flags: string): Pick<SharedBucket, 'charges'> {
  const [, most] = /d(\d{1,10})/.exec(flags) ?? [];
  return most === undefined ? {} : { charges: Number(most) };
}

function parseWindow(text: string): SharedWindow | undefined {
  const [, requests, perMs, burst] = /^(\d{1,10})\/(\d{1,10})\/(\d{1,10})$/.exec(text)?.map(Number) ?? [];
  return requests && perMs && burst ? { requests, perMs, burst } : undefined;
}

/** What an agent wants of one key of a bucket. */
export interface LimitTake {
  /** See bucketName. */
  readonly bucket: string;
  /** A digest of what requests differ by. */
  readonly key: string;
  /** Tokens; 0: it only gives back. */
  readonly wanted: number;
  /** Of `wanted`: what the request needs that has waited the longest, by default one. If fewer are left, none is granted. */
  readonly least?: number;
  /** Tokens that were used without being taken before, by default none: the bucket may owe them. Older control planes do not look at these two. */
  readonly used?: number;
  /** Tokens that it took before and does not need. */
  readonly back: number;
  /** LimitGrant.owner of the answer before; empty: none, or it went on by itself meanwhile. */
  readonly owner: string;
  /** By window: in how many milliseconds it would be full, by what the agent knows. Counts for an owner that is another than before. */
  readonly debts: readonly number[];
}

export interface LimitTakes {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway, or the key of shared proxies. */
  readonly cluster: string;
  readonly takes: readonly LimitTake[];
}

export interface LimitGrant {
  /** Tokens, at most as many as were wanted. */
  readonly granted: number;
  /** When it is worth asking again, in milliseconds; 0: at once. */
  readonly waitMs: number;
  /** Who keeps the bucket, and since when. */
  readonly owner: string;
  /** As in LimitTake, now. */
  readonly debts: readonly number[];
}

export interface LimitGrants {
  /** How many proxies share the limits. */
  readonly proxies: number;
  /** By take; null: its keeper did not answer. */
  readonly grants: readonly (LimitGrant | null)[];
}
