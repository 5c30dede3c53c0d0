import { link } from '../../router/index.ts';
import type { MapNode } from './graph.ts';

const kinds: Readonly<Record<string, string>> = {
  httproute: 'HTTPRoute',
  grpcroute: 'GRPCRoute',
  tcproute: 'TCPRoute',
  tlsroute: 'TLSRoute',
  udproute: 'UDPRoute',
};

/** Where the page shows what a node stands for; groups lead to their list, and classes to their part of the map. */
export function placeOfNode({ id, type, namespace, name, count }: MapNode): string {
  if (count !== undefined) return link(type === 'route' ? 'routes' : 'backends', [], { q: `${namespace}/` });
  switch (type) {
    case 'gatewayclass':
      return link('map', [], { focus: `GatewayClass//${name}` });
    case 'gateway':
      return link('gateways', [namespace, name]);
    case 'listener':
      return link('listeners', [name]);
    case 'route':
      return link('routes', [kindOf(id), namespace, name]);
    case 'policy':
      return link('map', [], { focus: `${id.split('/')[1] ?? ''}/${namespace}/${name}` });
    case 'dataplane':
      return link('proxies', [name]);
    default:
      return link('backends', [namespace, name]);
  }
}

/** `route/httproute/shop/cart` has it in lower case. */
function kindOf(id: string): string {
  const kind = id.split('/')[1] ?? '';
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? kind) : kind;
}
