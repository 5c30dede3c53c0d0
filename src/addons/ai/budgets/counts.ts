import { createHash } from 'node:crypto';
import { budgetDescriptor } from '../../../contracts/index.ts';
import type { RateLimitRequest } from '../../../envoy/index.ts';
import { keyOf, type ObjectKey, objectKey } from '../../../gateway-api/index.ts';
import type { GraphView } from '../../../graph/index.ts';
import type { TokenPolicy } from './windows.ts';

/** What is known of a request before it is answered. */
interface Asked {
  /** Names it; empty where the proxy does not say. */
  readonly id: string;
  readonly route: string;
  readonly service: string;
  readonly model: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** A policy that holds for a request, and what it counts by. */
export interface Count {
  readonly policy: TokenPolicy;
  readonly key: string;
}

/** What a request counts for, and its name. */
export interface Counts {
  readonly request: string;
  readonly counts: readonly Count[];
}

/** Of the question that a proxy asks about a request. */
export function countsOf(question: RateLimitRequest, graph: GraphView): Counts {
  const asked = askedOf(question);
  return {
    request: asked.id,
    counts: policiesFor(asked, graph).map((policy) => ({ policy, key: countedBy(policy, asked) })),
  };
}

function askedOf({ descriptors }: RateLimitRequest): Asked {
  const entries = new Map(
    descriptors.flatMap(({ entries: list }) => list.map(({ key, value }) => [key, value] as const)),
  );
  const headers = [...entries].flatMap(([key, value]) =>
    key.startsWith(budgetDescriptor.header) ? [[key.slice(budgetDescriptor.header.length), value] as const] : [],
  );
  return {
    id: entries.get(budgetDescriptor.id) ?? '',
    route: entries.get(budgetDescriptor.route) ?? '',
    service: entries.get(budgetDescriptor.service) ?? '',
    model: entries.get(budgetDescriptor.model) ?? '',
    headers: new Map(headers),
  };
}

/** Policies name objects of their own namespace alone. */
const policiesFor = ({ route, service }: Asked, graph: GraphView): TokenPolicy[] =>
  [...graph.list('TokenPolicy')].filter(({ metadata, spec }) =>
    spec.targetRefs.some(({ kind, name }) => {
      const key = objectKey(metadata.namespace ?? '', name);
      return kind === 'HTTPRoute' ? route === `httproute/${key}` : service === key;
    }),
  );

/** Names of headers whose values must not appear in a report. */
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'api-key', 'cookie']);
const longestModel = 256;

/** What a budget is kept by. Values that open doors are named by their digest. */
function countedBy({ spec: { key } }: TokenPolicy, { route, model, headers }: Asked): string {
  switch (key?.type) {
    case 'Header': {
      const value = headers.get(key.header ?? '') ?? '';
      return secretHeaders.has(key.header ?? '') ? digestOf(value) : value.slice(0, 128);
    }
    case 'JWTClaim':
      return claimOf(headers.get('authorization') ?? '', key.claim ?? '').slice(0, 128);
    case 'Model':
      return model.slice(0, longestModel);
    default:
      return route;
  }
}

const digestOf = (value: string): string =>
  value === '' ? '' : `sha256:${createHash('sha256').update(value).digest('hex').slice(0, 16)}`;

/** Of a token whose signature is for others to check. Empty where there is none. */
function claimOf(authorization: string, claim: string): string {
  try {
    const [, payload = ''] = authorization.replace(/^Bearer +/i, '').split('.');
    const value = (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)[claim];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  } catch {
    return '';
  }
}

export const nameOf = ({ policy }: Pick<Count, 'policy'>): ObjectKey => keyOf(policy);
