import { HttpError } from '../http/index.ts';
import type { Endpoint } from '../resource/endpoint.ts';

/** Paths of parts that a control plane may be put together without. */
export const optionalPaths = {
  ai: [
    ['get', '/v1/ai/overview', 'the AI gateway'],
    ['get', '/v1/ai/services', 'the AI gateway'],
    ['get', '/v1/ai/token-usage', 'the AI gateway'],
    ['get', '/v1/ai/traces', 'the AI gateway'],
    ['get', '/v1/ai/cost', 'the AI gateway'],
  ],
  chatbot: [
    ['get', '/v1/chatbot/config', 'the chatbot'],
    ['put', '/v1/chatbot/config', 'the chatbot'],
    ['post', '/v1/chatbot/chat', 'the chatbot'],
    ['post', '/mcp', 'the chatbot'],
  ],
  metricsBackend: [
    ['get', '/v1/metrics/config', 'the metrics backend'],
    ['put', '/v1/metrics/config', 'the metrics backend'],
    ['get', '/v1/metrics/queries', 'the metrics backend'],
    ['post', '/v1/metrics/query', 'the metrics backend'],
    ['post', '/v1/metrics/query_range', 'the metrics backend'],
  ],
} as const;

type Path = readonly [method: 'get' | 'put' | 'post', path: string, what: string];

/** Each says that it is not there, so that a client need not guess. */
export const absentEndpoints = (paths: readonly Path[]): readonly Endpoint[] =>
  paths.map(([method, path, what]) => ({
    method,
    path,
    handle: () => {
      throw new HttpError('not_implemented', `${what} is not part of this version`);
    },
  }));
