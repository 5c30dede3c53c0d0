import type { Table, Visit } from '../../kit/table.ts';
import { fieldsOf, isFields, listOf, textOf } from '../../kit/values.ts';

const hash = 'BackendPolicy.loadBalancer.consistentHash';
const modules = 'there are no dynamic modules here';

/** `loadBalancer` of a BackendTrafficPolicy. */
export const balancingTable: Table = {
  type: {
    by: (value, visit) => {
      const type = textOf(value);
      if (['RoundRobin', 'LeastRequest', 'Random', 'ConsistentHash'].includes(type))
        visit.set('BackendPolicy.loadBalancer.type', type);
      else visit.miss(`endpoints are not chosen by ${type} here: they take turns`);
    },
    knows: [],
  },
  consistentHash: {
    by: hashOf,
    knows: ['type', 'tableSize', 'header', 'headers', 'queryParams', 'cookie.name', 'cookie.ttl', 'cookie.attributes'],
  },
  slowStart: { in: { window: { to: 'BackendPolicy.loadBalancer.slowStart.window' } } },
  zoneAware: { decide: 'set trafficDistribution: PreferSameZone at the Services: zones have no weights here' },
  endpointOverride: { cannot: 'no header names an endpoint' },
  backendUtilization: { cannot: 'endpoints do not report their load here' },
  dynamicModule: { cannot: modules },
};

function hashOf(value: unknown, visit: Visit): void {
  const { type, tableSize, header, headers = [], queryParams = [], cookie } = fieldsOf(value);
  visit.set(`${hash}.tableSize`, tableSize);
  const names = (list: unknown) => listOf(list).map((item) => textOf(fieldsOf(item).name));
  const byRoute = (parts: readonly object[]) => {
    visit.set(`${hash}.type`, 'Route');
    visit.set('TrafficPolicy.hash', parts);
  };
  if (type === 'SourceIP') visit.set(`${hash}.type`, 'SourceIP');
  else if (type === 'Header') {
    visit.set(`${hash}.type`, 'Header');
    visit.set(`${hash}.header`, { name: textOf(fieldsOf(header).name) });
  } else if (type === 'Headers') byRoute(names(headers).map((name) => ({ type: 'Header', name })));
  else if (type === 'QueryParams') byRoute(names(queryParams).map((name) => ({ type: 'QueryParam', name })));
  else if (type === 'Cookie') {
    const { name, ttl, attributes } = fieldsOf(cookie);
    visit.set(`${hash}.type`, 'Cookie');
    visit.set(`${hash}.cookie`, {
      name: textOf(name),
      ...(ttl !== undefined && { ttl }),
      ...attributesOf(attributes, visit.at('cookie.attributes')),
    });
  } else visit.miss('has no type that is known here');
}

function attributesOf(value: unknown, visit: Visit): object {
  const made: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(isFields(value) ? value : {})) {
    const word = name.toLowerCase();
    if (word === 'path') made.path = text;
    else if (word === 'samesite') made.sameSite = text;
    else if (word === 'secure') made.secure = true;
    else if (word === 'domain') made.domain = textOf(text).replace(/^\./, '').toLowerCase();
    else if (word === 'partitioned') made.partitioned = true;
    else if (word === 'httponly') continue;
    else visit.at(name).miss('is no attribute that the cookie can have');
  }
  return made;
}
