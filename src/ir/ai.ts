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
  readonly hostname: string;
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
  /** Headers by which budgets are told apart, in lower case. Undefined: no budget is for it. */
  readonly budgetHeaders?: readonly string[];
}

/** Name of the cluster that stands for the agent, which is told what was used and asked what may be. */
export const agentService = 'gatewright_agent';

/** Headers that travel between listeners within the proxy. Clients' are taken away, and providers see none. */
export const aiHeaders = {
  /** Names the request, for it may be sent more than once. */
  id: 'x-gw-ai-id',
  /** What the request asks for. */
  model: 'x-gw-ai-model',
  /** `true` where an answer in pieces is asked for. */
  stream: 'x-gw-ai-stream',
  /** AiRoute.source. */
  route: 'x-gw-ai-route',
  /** The budgets that it counts for, as whoever keeps them has named them. */
  budgets: 'x-gw-ai-budgets',
} as const;

/** What access logs of AI traffic are called: of what clients asked, and of what providers were asked because of it. */
export const aiLogs = { request: 'gatewright.ai.request', attempt: 'gatewright.ai.attempt' } as const;

/** Names of the routes of a provider's listener: what is asked for, in OpenTelemetry's words. */
export const aiOperations = ['chat', 'text_completion', 'embeddings', 'responses'] as const;

/** What a budget of tokens is asked by; ir.AiRoute.source, the asked model, the service that is asked first, and headers. */
export const budgetDescriptor = {
  domain: 'gatewright.ai',
  route: 'route',
  model: 'model',
  service: 'service',
  header: 'header ',
} as const;

/** What names of listeners within the proxy begin with. Nobody can connect to them from outside. */
export const innerListenerPrefix = 'ai/';

/** Whether a cluster is one of AI traffic: of a provider, of a rule, or of a sequence of services. See keyOfAiService and keyOfAiRoute of the graph. */
export const isAiCluster = (name: string): boolean => /\/(?:ai\/~|ai-route(?:\||$))/.test(name);

/**
 * Whether a cluster leads to listeners within the proxy alone: that of a rule with AIServices, or of a sequence of services. It is a part of its
 * route and no backend, whatever its name begins with. A provider's own cluster is one.
 */
export const isAiRouteCluster = (name: string): boolean => /^[^/]+\/[^/]+\/\d+\/ai-route(?:\||$)/.test(name);
