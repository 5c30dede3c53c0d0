import type { Capabilities } from './dashboard/record.ts';
import type { BoundEndpoint } from './resource/endpoint.ts';
import type { AdminSources } from './sources.ts';

/** A part beside the gateway that is handed in. The admin API knows none of them. */
export interface Addon {
  /** What it answers on the port of Layout 1, behind the same gates as all else. */
  readonly endpoints: readonly BoundEndpoint[];
  /** What of it works now; never rejects. */
  readonly capabilities?: () => Promise<Partial<Capabilities>>;
}

/** What add-ons may use of the admin API. */
export interface AddonHost {
  readonly sources: AdminSources;
  /** Asks the admin API itself, without a connection. Only what reads is asked. */
  readonly ask: AskAdmin;
}

/** Makes add-ons for an admin API, in the order in which its description has them. */
export type CreateAddons = (host: AddonHost) => readonly Addon[];

/** One question to the admin API, which changes nothing. */
export interface AdminQuestion {
  readonly method: 'GET' | 'POST';
  /** With its query, such as `/v1/routes?limit=10`. */
  readonly path: string;
  /** A value is sent as JSON; text as YAML. */
  readonly body?: unknown;
}

export interface AdminAnswer {
  readonly status: number;
  /** What Layout 1 answers, errors included. */
  readonly body: unknown;
  /** Of a list: how many entries there are in all. */
  readonly total?: number | undefined;
}

/** Asks Layout 1 of the admin API, in this process or over HTTP. Rejects only when it cannot be asked at all. */
export type AskAdmin = (question: AdminQuestion, signal: AbortSignal) => Promise<AdminAnswer>;
