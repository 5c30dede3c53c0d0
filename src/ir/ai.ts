import type { Sensitive } from './sensitive.ts';

/** How a provider of models is spoken to. */
export type AiSchema = 'openai' | 'anthropic';

/** What requests may ask for. */
export interface AiModel {
  readonly name: string;
  readonly match: 'exact' | 'prefix';
  /** What the provider calls it; undefined: what the request says. */
  readonly as?: string;
}

/** What requests to a provider are sent with. */
export interface AiCredential {
  /** In lower case. */
  readonly header: string;
  /** What stands before the value. */
  readonly prefix: string;
  readonly value: Sensitive;
  /** Digest of the value, which prints as nothing and so counts for nothing in the backend's own. */
  readonly version: string;
}

/** A provider of models, behind a listener of its own within the proxy: what is done to requests is done for this provider alone. */
export interface AiService {
  readonly kind: 'service';
  /** `NAMESPACE/NAME` of the AIService. */
  readonly key: string;
  readonly schema: AiSchema;
  /** Undefined: it is a pool. */
  readonly hostname?: string;
  /** Key of the ir.Backend of the pool that it is. */
  readonly pool?: string;
  /** What stands before `/chat/completions` there; empty or beginning with a slash. */
  readonly path: string;
  readonly models: readonly AiModel[];
  readonly credential?: AiCredential;
  /** How long an answer may be silent. */
  readonly streamIdleMs: number;
}

/** One service that may answer for a model. */
export interface AiStep {
  /** AiService.key. */
  readonly service: string;
  /** Key of its ir.Backend. */
  readonly backend: string;
}

/** Some of the requests for a model. */
export interface AiShare {
  /** Of all in the choice. */
  readonly weight: number;
  /** Asked one after the other; one at least. */
  readonly steps: readonly AiStep[];
  /** How long the beginning of an answer is waited for. */
  readonly firstTokenMs: number;
}

/** Where requests for a model go. */
export interface AiChoice {
  readonly model: Pick<AiModel, 'name' | 'match'>;
  /** Empty: no service can be asked, and requests are answered 503. */
  readonly shares: readonly AiShare[];
}

/** The part of a route's rule that chooses by the model a request asks for; a listener within the proxy. */
export interface AiRoute {
  readonly kind: 'route';
  /** `httproute/NAMESPACE/NAME`. */
  readonly source: string;
  /** In the order in which they are tried. */
  readonly choices: readonly AiChoice[];
  /** What `GET /v1/models` lists: names, and whose they are. */
  readonly listing: readonly { readonly id: string; readonly ownedBy: string }[];
  /** Headers that separate budgets, in lower case. Undefined: no budget is for it. */
  readonly budgetHeaders?: readonly string[];
}
