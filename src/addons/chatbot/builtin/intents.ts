import { parseObjectKey } from '../../../gateway-api/index.ts';
import type { ChatRequest } from '../chat-request.ts';

/** A request that the user asks about. */
export interface AskedRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly port?: number;
}

/** What a question is about, as far as rules can decide. */
export type Intent =
  | { readonly kind: 'request'; readonly request: AskedRequest }
  | { readonly kind: 'which-request' }
  | {
      readonly kind: 'object';
      readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
    }
  | { readonly kind: 'certificates' }
  | { readonly kind: 'drift' }
  | { readonly kind: 'problems'; readonly area?: 'route' | 'listener' | 'gateway' }
  | { readonly kind: 'traffic' }
  | { readonly kind: 'events' }
  | { readonly kind: 'routes' }
  | { readonly kind: 'summary' };

const kindNames: Readonly<Record<string, string>> = {
  httproute: 'HTTPRoute',
  grpcroute: 'GRPCRoute',
  tcproute: 'TCPRoute',
  udproute: 'UDPRoute',
  tlsroute: 'TLSRoute',
  gateway: 'Gateway',
  listenerset: 'ListenerSet',
  backendtlspolicy: 'BackendTLSPolicy',
};

/** `HTTPRoute default/shop`, `route shop`, in any case. */
const objectName = new RegExp(
  `\\b(${Object.keys(kindNames).join('|')}|route)s?\\s+["'\`]?((?:[a-z0-9.-]+/)?[a-z0-9][a-z0-9.-]*[a-z0-9])["'\`]?`,
  'i',
);
const url = /\b(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(\/[^\s"'`?!,;]*(?:\?[^\s"'`!,;]*)?)?/i;
/** A host name with a dot, or localhost, with a path behind it or not. */
const bareHost =
  /(?<![\w/.-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*|localhost)(?::(\d{1,5}))?(\/[^\s"'`?!,;]*)?/i;
const method = /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/;

const is = (pattern: RegExp) => (text: string) => pattern.test(text);
const aboutRequests = is(
  /\b(40[0-9]|421|5\d\d|not found|reach|goes?|sent|route[sd]? to|forward|redirect|respon[ds]e?|answer|why)\b/i,
);
const aboutStatus = is(/\b(40[0-9]|421|50[0-9]|not found|unreachable)\b/i);
const aboutCertificates = is(/\b(expir\w*|certificates?|certs?|tls secret)\b/i);
const aboutDrift = is(
  /\b(drift\w*|nack\w*|reject\w*|(in|out of) sync|synced|current|data ?planes?|prox(y|ies)|envoys?|nodes?)\b/i,
);
const aboutProblems = is(
  /\b(accepted|wrong|problems?|issues?|fail\w*|broken|errors?|unhealthy|conditions?|resolved|invalid|conflict\w*|work(ing)?)\b/i,
);
const aboutTraffic = is(
  /\b(traffic|metrics?|latenc\w*|requests? (rate|per)|rps|throughput|error rate|5xx|4xx|load|slow)\b/i,
);
const aboutEvents = is(/\b(events?|happen\w*|recent\w*|changed?|history|lately)\b/i);
const aboutRoutes = is(/\b(routes?|hosts?|hostnames?|list)\b/i);
/** These name an object when no name follows. */
const noNames: ReadonlySet<string> = new Set([
  'is',
  'are',
  'not',
  'that',
  'which',
  'in',
  'of',
  'for',
  'and',
  'with',
  'accepted',
  'rejected',
  'to',
  'on',
  'do',
  'does',
  'have',
  'has',
  'was',
  'were',
  'there',
  'or',
]);

/** What the question is about. The most telling things come first: a request, an object by name, then words. */
export function intentOf({ prompt, context }: ChatRequest): Intent {
  const request = requestIn(prompt);
  const object = objectIn(prompt);
  if (request !== undefined && (aboutRequests(prompt) || object === undefined) && !aboutCertificates(prompt))
    return { kind: 'request', request };
  if (object !== undefined) return { kind: 'object', object };
  if (aboutCertificates(prompt)) return { kind: 'certificates' };
  if (aboutTraffic(prompt)) return { kind: 'traffic' };
  if (aboutStatus(prompt)) return { kind: 'which-request' };
  if (/\baccepted\b/i.test(prompt)) return { kind: 'problems', ...areaOf(prompt) };
  if (aboutDrift(prompt)) return { kind: 'drift' };
  if (context !== undefined) return { kind: 'object', object: { namespace: 'default', ...withoutUndefined(context) } };
  if (aboutEvents(prompt)) return { kind: 'events' };
  if (aboutProblems(prompt)) return { kind: 'problems', ...areaOf(prompt) };
  return aboutRoutes(prompt) ? { kind: 'routes' } : { kind: 'summary' };
}

function requestIn(text: string): AskedRequest | undefined {
  const verb = method.exec(text)?.[1] ?? 'GET';
  const full = url.exec(text);
  if (full !== null) {
    const [, scheme = 'http', host = '', port, path = '/'] = full;
    return {
      host,
      path: withoutStop(path),
      method: verb,
      scheme: scheme.toLowerCase() as AskedRequest['scheme'],
      ...(port !== undefined && { port: Number(port) }),
    };
  }
  const bare = bareHost.exec(text);
  if (bare === null) return undefined;
  const [, host = '', port, path = pathIn(text) ?? '/'] = bare;
  return {
    host,
    path: withoutStop(path),
    method: verb,
    scheme: 'http',
    ...(port !== undefined && { port: Number(port) }),
  };
}

/** `why is /cart on shop.test 404` */
const pathIn = (text: string): string | undefined => /(?<=^|\s)(\/[\w\-./~%]*)/.exec(text)?.[1];

/** A sentence's end is none of a path. */
const withoutStop = (path: string): string => path.replace(/(?<=.)[.,:)]+$/, '');

function objectIn(
  text: string,
): { readonly kind: string; readonly namespace: string; readonly name: string } | undefined {
  const [, word = '', written = ''] = objectName.exec(text) ?? [];
  if (written === '' || noNames.has(written.toLowerCase())) return undefined;
  const { namespace, name } = parseObjectKey(written);
  return { kind: kindNames[word.toLowerCase()] ?? 'HTTPRoute', namespace: namespace || 'default', name };
}

function areaOf(text: string): { readonly area?: 'route' | 'listener' | 'gateway' } {
  if (/\broutes?\b/i.test(text)) return { area: 'route' };
  return /\blisteners?\b/i.test(text) ? { area: 'listener' } : {};
}

const withoutUndefined = ({ kind, namespace, name }: NonNullable<ChatRequest['context']>) => ({
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
});
