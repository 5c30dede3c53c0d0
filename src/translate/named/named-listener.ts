import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { namedServerSuffix } from '../../contracts/index.ts';
import {
  HttpConnectionManager_CodecType as CodecType,
  type FilterStateValueSchema,
  packAny,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  SetFilterStateSchema,
  type VirtualHostSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type InternalManager, internalListener, quietRouter } from '../inner/index.ts';
import {
  celFormatter,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  httpFilter,
  namedClusterName,
  namedListenerName,
} from '../resource/index.ts';

type VirtualHost = MessageInitShape<typeof VirtualHostSchema>;

/** What clients may send is for their listener to say. */
const maxHeadersKiB = 8192;
const maxHeaders = 32_768;

/** LDS: a listener within the proxy that takes requests for the hosts and ports that may be named, and says where they are. */
export function namedListener({ key }: ir.Backend, named: ir.NamedServers): EnvoyResource {
  const name = namedListenerName(key, named);
  const statPrefix = `gatewright_${key.replaceAll('/', '_')}`;
  const manager: InternalManager = {
    codecType: CodecType.AUTO,
    routeSpecifier: {
      case: 'routeConfig',
      value: { name, validateClusters: false, ignorePortInHostMatching: true, virtualHosts: virtualHosts(key, named) },
    },
    httpFilters: [whereFrom(named), quietRouter()],
    upgradeConfigs: [{ upgradeType: 'websocket' }],
    maxRequestHeadersKb: maxHeadersKiB,
    commonHttpProtocolOptions: { maxHeadersCount: maxHeaders },
    // The listener that clients came to has said so already.
    generateRequestId: false,
    preserveExternalRequestId: true,
    skipXffAppend: true,
    serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    streamIdleTimeout: durationOf(0),
  };
  return internalListener({ name, statPrefix, manager });
}

const anyPath = { pathSpecifier: { case: 'prefix' as const, value: '/' } };

function virtualHosts(key: string, { hosts, ports }: ir.NamedServers): VirtualHost[] {
  // Names and addresses of IPv4, with a port of those that may be named or none. What is not written so is no host.
  const authority = `(?i)[a-z0-9_-]+(\\.[a-z0-9_-]+)*(:(${ports.join('|')}))?`;
  const isNamed = {
    name: ':authority',
    headerMatchSpecifier: {
      case: 'stringMatch' as const,
      value: { matchPattern: { case: 'safeRegex' as const, value: { regex: authority } } },
    },
  };
  const named: VirtualHost = {
    name: 'named',
    domains: [...hosts],
    routes: [
      {
        name: 'named',
        match: { ...anyPath, headers: [isNamed] },
        action: {
          case: 'route',
          value: {
            clusterSpecifier: { case: 'cluster', value: namedClusterName(key) },
            // The route that led here has the limits.
            timeout: durationOf(0),
          },
        },
      },
      denied('port', `this port of the host may not be asked for: ${ports.join(', ')} may`),
    ],
  };
  const others = { name: 'others', domains: ['*'], routes: [denied('host', 'this host may not be asked for')] };
  return hosts.includes('*') ? [named] : [named, others];
}

const denied = (name: string, message: string) => ({
  name,
  match: anyPath,
  action: {
    case: 'directResponse' as const,
    value: { status: 403, body: { specifier: { case: 'inlineString' as const, value: `${message}\n` } } },
  },
});

/** The dot at the end makes a name absolute: Envoy then asks the agent and nothing before it. See namedEndpoint. */
function whereFrom({ ports: [port = 443], reachesPrivate }: ir.NamedServers): HttpFilter {
  const values: [string, string][] = [
    [
      'envoy.upstream.dynamic_host',
      `%CEL(request.host.split(':')[0].lowerAscii())%${namedServerSuffix(reachesPrivate ?? false)}.`,
    ],
    ['envoy.upstream.dynamic_port', `%CEL(request.host.contains(':') ? request.host.split(':')[1] : '${port}')%`],
  ];
  const config = create(SetFilterStateSchema, {
    onRequestHeaders: values.map(
      ([objectKey, format]): MessageInitShape<typeof FilterStateValueSchema> => ({
        key: { case: 'objectKey', value: objectKey },
        value: {
          case: 'formatString',
          value: {
            format: { case: 'textFormatSource', value: { specifier: { case: 'inlineString', value: format } } },
            formatters: [celFormatter],
          },
        },
      }),
    ),
  });
  return httpFilter('gatewright.named-server', packAny(SetFilterStateSchema, config));
}
