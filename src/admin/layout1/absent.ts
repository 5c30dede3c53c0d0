import { HttpError } from '../http/index.ts';
import type { BoundEndpoint } from '../resource/endpoint.ts';

/** Paths of the contract that add-ons answer, and some of their own. A POST that only reads says so. */
const ofAddons: readonly (readonly [method: 'get' | 'put' | 'post', path: string, what: string, onlyReads?: true])[] = [
  ['get', '/v1/ai/overview', 'the AI gateway'],
  ['get', '/v1/ai/services', 'the AI gateway'],
  ['get', '/v1/ai/token-usage', 'the AI gateway'],
  ['get', '/v1/ai/traces', 'the AI gateway'],
  ['get', '/v1/ai/cost', 'the AI gateway'],
  ['get', '/v1/metrics/config', 'the metrics backend'],
  ['put', '/v1/metrics/config', 'the metrics backend'],
  ['get', '/v1/metrics/queries', 'the metrics backend'],
  ['post', '/v1/metrics/query', 'the metrics backend', true],
  ['post', '/v1/metrics/query_range', 'the metrics backend', true],
  ['get', '/v1/chatbot/config', 'the chatbot'],
  ['put', '/v1/chatbot/config', 'the chatbot'],
  ['post', '/v1/chatbot/chat', 'the chatbot'],
  ['post', '/mcp', 'the chatbot', true],
];

/** Those that none of `present` answers. Each says that it is not there, so that a client need not guess. */
export function absentEndpoints(present: readonly BoundEndpoint[]): readonly BoundEndpoint[] {
  const known = new Set(present.map(({ method, path }) => `${method} ${path}`));
  return ofAddons
    .filter(([method, path]) => !known.has(`${method} ${path}`))
    .map(([method, path, what, onlyReads = false]) => ({
      method,
      path,
      tag: 'Layout 1',
      summary: '',
      onlyReads: onlyReads || method === 'get',
      isTagged: false,
      isGuarded: false,
      isAudited: false,
      needsSync: false,
      handle() {
        throw new HttpError('not_implemented', `${what} is not part of this version`);
      },
    }));
}
