import { parseObjectKey } from '../../../../gateway-api/index.ts';

/** Parts of a question that are written in a form of their own, and what is left of it. */
export interface Written {
  readonly request: AskedRequest | undefined;
  /** `KIND/NAME`, `KIND NAMESPACE/NAME`, `NAMESPACE/NAME`, or in quotes: these stand for objects, whether there are such or not. */
  readonly objects: readonly WrittenObject[];
  /** Without all of that, in small letters, umlauts written out. */
  readonly rest: string;
}

/** A request that a question is about. */
export interface AskedRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly scheme: 'http' | 'https' | undefined;
  readonly port: number | undefined;
}

export interface WrittenObject {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Kinds by their names in small letters; short ones are those of kubectl. */
const kindNames: Readonly<Record<string, string>> = {
  httproute: 'HTTPRoute',
  grpcroute: 'GRPCRoute',
  tcproute: 'TCPRoute',
  udproute: 'UDPRoute',
  tlsroute: 'TLSRoute',
  gateway: 'Gateway',
  gtw: 'Gateway',
  gatewayclass: 'GatewayClass',
  listenerset: 'ListenerSet',
  listener: 'Listener',
  service: 'Service',
  svc: 'Service',
  backend: 'Service',
  certificate: 'Certificate',
  cert: 'Certificate',
  secret: 'Certificate',
  zertifikat: 'Certificate',
  backendtlspolicy: 'BackendTLSPolicy',
  accesspolicy: 'AccessPolicy',
  acpolicy: 'AccessPolicy',
  backendpolicy: 'BackendPolicy',
  listenerpolicy: 'ListenerPolicy',
  tokenpolicy: 'TokenPolicy',
  aiservice: 'AIService',
  xbackend: 'XBackend',
  inferencepool: 'InferencePool',
  dataplane: 'DataPlane',
  referencegrant: 'ReferenceGrant',
  node: 'Node',
  proxy: 'Node',
  namespace: 'Namespace',
  dienst: 'Service',
  route: 'Route',
  xbackendtrafficpolicy: 'XBackendTrafficPolicy',
  xtelemetrypolicy: 'XTelemetryPolicy',
};

export const kindOfWord = (word: string): string | undefined => {
  const lower = word.toLowerCase();
  return kindNames[lower] ?? kindNames[lower.replace(/s$/, '')];
};

const label = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';
const kindPattern = Object.keys(kindNames).join('|');
const url = /\b(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(\/[^\s"'`?!,;]*(?:\?[^\s"'`!,;]*)?)?/i;
/** A host with a dot, or localhost, with a path behind it or not. Never a file's name. */
const bareHost =
  /(?<![\w/.@-])((?:(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?|\*)\.)+(?!ya?ml\b|json\b|md\b|crt\b|key\b)[a-z][a-z0-9-]*|localhost)(?::(\d{1,5}))?(\/[^\s"'`?!,;]*)?/i;
const kindAndKey = new RegExp(`(?<![\\w/.-])(${kindPattern})s?\\s+["'\`„“]?((?:${label}/)${label})["'\`”“]?`, 'gi');
const kindSlashName = new RegExp(`(?<![\\w/.-])(${kindPattern})s?/(${label})(?:/(${label}))?(?![\\w/])`, 'gi');
const bareKey = new RegExp(`(?<![\\w/.:-])(${label})/(${label})(?![\\w/])`, 'gi');
const quotedName = new RegExp(
  `(?:(?<![\\w/.-])(${kindPattern})s?\\s+)?["'\`„“‘]((?:${label}/)?${label})["'\`”“’]`,
  'gi',
);
const method = /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/;
/** Both sides of a `/` in a sentence: and/or. */
const noKeys: ReadonlySet<string> = new Set([
  'and',
  'or',
  'und',
  'oder',
  'he',
  'she',
  'er',
  'sie',
  'http',
  'tcp',
  'tls',
  'route',
  'and/or',
  '24',
  'ja',
  'yes',
]);

/** So much of a question is read; people write shorter ones. */
const maxLetters = 2000;

export function readWritten(text: string): Written {
  let rest = text.slice(0, maxLetters);
  const take = (part: string) => {
    rest = rest.replace(part, ' ');
  };
  const objects: WrittenObject[] = [];
  const add = (kind: string | undefined, namespace: string | undefined, name: string) => {
    if (objects.length < 6)
      objects.push({ kind: kind && kindNames[kind.toLowerCase()], namespace, name: name.toLowerCase() });
  };
  const request = requestIn(rest, take);
  for (const [part, kind, key = ''] of [...rest.matchAll(kindAndKey)]) {
    const { namespace, name } = parseObjectKey(key);
    add(kind, namespace, name);
    take(part);
  }
  for (const [part, kind, first = '', second] of [...rest.matchAll(kindSlashName)]) {
    add(kind, second === undefined ? undefined : first, second ?? first);
    take(part);
  }
  for (const [part, kind, key = ''] of [...rest.matchAll(quotedName)]) {
    const { namespace, name } = parseObjectKey(key);
    add(kind, namespace === '' ? undefined : namespace, name);
    take(part);
  }
  for (const [part, namespace = '', name = ''] of [...rest.matchAll(bareKey)]) {
    if (noKeys.has(namespace.toLowerCase()) || noKeys.has(name.toLowerCase())) continue;
    add(undefined, namespace.toLowerCase(), name);
    take(part);
  }
  return { request, objects, rest: plainly(rest) };
}

/** In small letters, umlauts written out. */
export const plainly = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .replaceAll(/[’']/g, ' ');

function requestIn(text: string, take: (part: string) => void): AskedRequest | undefined {
  const verb = method.exec(text)?.[1] ?? 'GET';
  const full = url.exec(text);
  if (full !== null) {
    const [part, scheme = 'http', host = '', port, path = '/'] = full;
    take(part);
    return {
      host: host.toLowerCase(),
      path: withoutStop(path),
      method: verb,
      scheme: scheme.toLowerCase() as 'http',
      port: portOf(port),
    };
  }
  const bare = bareHost.exec(text);
  if (bare === null) return undefined;
  const [part, host = '', port, ownPath] = bare;
  take(part);
  const path = ownPath ?? pathIn(text, take) ?? '/';
  return { host: host.toLowerCase(), path: withoutStop(path), method: verb, scheme: undefined, port: portOf(port) };
}

const portOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** `why is /cart on shop.test 404` */
function pathIn(text: string, take: (part: string) => void): string | undefined {
  const path = /(?<=^|\s)(\/[\w\-./~%]*)/.exec(text)?.[1];
  if (path !== undefined) take(path);
  return path;
}

/** A sentence's end is none of a path. */
const withoutStop = (path: string): string => path.replace(/(?<=.)[.,:)]+$/, '');
