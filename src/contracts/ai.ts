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
  /** The budgets that it counts for, by the names that their keeper gave them. */
  budgets: 'x-gw-ai-budgets',
} as const;

/**
 * Headers of answers that say which model server of a pool was asked, and why. They are taken away before clients see them, and no picker or server can
 * write them.
 */
export const poolHeaders = {
  /** One of poolOutcomes, or `failed`: the picker did, and no server was asked. */
  pick: 'x-gw-pick',
  /** What the picker named, at most poolNamedChars of it. */
  named: 'x-gw-pick-named',
  /** The server that was asked, `IP:PORT`. */
  endpoint: 'x-gw-pick-endpoint',
} as const;

/** `picked`: a picker named servers; `any`: none was asked, or it failed; `answered`: it answered by itself. */
export const poolOutcomes = ['picked', 'any', 'answered', 'failed'] as const;

export const poolNamedChars = 256;

/**
 * What became of a request to a pool:
 * - `picked`: the picker named the server.
 * - `replaced`: it named servers of which none could be asked, so that another was.
 * - `any`: no picker was asked, or it failed and the pool fails open.
 * - `failed`: the picker failed, and no server was asked.
 * - `answered`: the picker answered by itself.
 * - `unknown`: there was no server, or the request ended before one answered.
 */
export const pickOutcomes = ['picked', 'replaced', 'any', 'failed', 'answered', 'unknown'] as const;
export type PickOutcome = (typeof pickOutcomes)[number];

/** What access logs of AI traffic are called: of what clients asked, and of what providers were asked because of it. */
export const aiLogs = { request: 'gatewright.ai.request', attempt: 'gatewright.ai.attempt' } as const;

/** Names of the routes of a provider's listener: what is asked for, in OpenTelemetry's words. */
export const aiOperations = ['chat', 'text_completion', 'embeddings', 'responses'] as const;

/** What a budget of tokens is asked by: the name of the request, ir.AiRoute.source, the asked model, the service that is asked first, and headers. */
export const budgetDescriptor = {
  domain: 'gatewright.ai',
  id: 'id',
  route: 'route',
  model: 'model',
  service: 'service',
  header: 'header ',
} as const;
