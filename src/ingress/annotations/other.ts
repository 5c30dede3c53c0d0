import type { Annotation } from './annotation.ts';

const snippet = { risk: 'Critical', value: 'directives' } as const;

/** TLS of hosts, logs, and text for nginx itself. */
export const other: readonly Annotation[] = [
  {
    name: 'ssl-passthrough',
    scope: 'host',
    risk: 'Low',
    value: 'boolean',
    default: 'false',
    meaning: 'TLS of the host goes through to the backend. Only if the controller has `--enable-ssl-passthrough`.',
    verdict: 'same',
    becomes: 'a TLSRoute, and a listener of protocol TLS in mode Passthrough',
  },
  {
    name: 'ssl-ciphers',
    scope: 'host',
    risk: 'Low',
    value: 'text',
    meaning: 'Ciphers of the host’s TLS.',
    verdict: 'decision',
    becomes: 'ListenerPolicy `tls.cipherSuites` of the host’s listener',
    why: 'Envoy knows fewer ciphers; its own choice is good unless a client is very old',
  },
  {
    name: 'ssl-prefer-server-ciphers',
    scope: 'host',
    risk: 'Low',
    value: 'boolean',
    meaning: 'Whether the server’s order of ciphers counts.',
    verdict: 'no-effect',
    becomes: 'nothing: it does',
  },
  {
    name: 'enable-access-log',
    scope: 'location',
    risk: 'Low',
    value: 'boolean',
    default: 'true',
    meaning: 'Whether requests are logged.',
    verdict: 'differs',
    becomes: 'ListenerPolicy `accessLog`, for all routes of a listener',
    why: 'a log is a setting of a Gateway or listener, and off by default',
  },
  {
    name: 'enable-rewrite-log',
    scope: 'location',
    risk: 'Low',
    value: 'boolean',
    default: 'false',
    meaning: 'Whether nginx logs rewrites.',
    verdict: 'no-effect',
    becomes: 'nothing; `gatewright route-test` explains a request',
  },
  {
    name: 'http2-push-preload',
    scope: 'location',
    risk: 'Low',
    value: 'boolean',
    default: 'false',
    meaning: 'HTTP/2 push, which browsers have given up.',
    verdict: 'no-effect',
    becomes: 'nothing',
  },
  ...(
    [
      ['enable-opentelemetry', 'Low', 'boolean'],
      ['opentelemetry-trust-incoming-span', 'Low', 'boolean'],
      ['opentelemetry-operation-name', 'Medium', 'text'],
    ] as const
  ).map(
    ([name, risk, value]): Annotation => ({
      name,
      scope: 'location',
      risk,
      value,
      meaning: 'Spans of requests.',
      verdict: 'differs',
      becomes: 'ListenerPolicy `tracing`, for all routes of a listener',
      why: 'tracing is a setting of a Gateway or listener',
    }),
  ),
  ...(
    [
      ['fastcgi-index', 'text'],
      ['fastcgi-params-configmap', 'reference'],
    ] as const
  ).map(
    ([name, value]): Annotation => ({
      name,
      scope: 'location',
      risk: 'Medium',
      value,
      meaning: 'Parameters of FastCGI backends.',
      verdict: 'cannot',
      becomes: 'nothing',
      why: 'FastCGI is not spoken here; put a web server before the backend',
    }),
  ),
  {
    name: 'configuration-snippet',
    scope: 'location',
    ...snippet,
    meaning: 'Directives of nginx for the paths of the Ingress.',
    verdict: 'same',
    becomes:
      'filters and policies, directive by directive. One that has no equivalent here is quoted in the report, and the paths stay closed',
  },
  {
    name: 'server-snippet',
    scope: 'host',
    ...snippet,
    meaning: 'Directives of nginx for the hosts of the Ingress.',
    verdict: 'same',
    becomes:
      'filters and policies, directive by directive. One that has no equivalent here is quoted in the report, and the paths of its hosts stay closed',
  },
  {
    name: 'stream-snippet',
    scope: 'host',
    ...snippet,
    meaning: 'Directives of nginx for TCP and UDP.',
    verdict: 'cannot',
    becomes: 'nothing; TCPRoute, TLSRoute and UDPRoute',
    why: 'servers of nginx’s stream module have no counterpart that could be made from their text',
  },
];
