import { link } from '../router/index.ts';
import { Name } from './state.tsx';

export interface ObjectName {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

const routeKinds = new Set(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute']);

/** `KIND/NAMESPACE/NAME` of a route, whose kind may be in lower case. What follows is `rest`. */
export function readRouteName(text: string): ObjectName & { readonly rest: string } {
  const [word = '', namespace = '', name = '', ...rest] = text.split('/');
  const kind = [...routeKinds].find((each) => each.toLowerCase() === word.toLowerCase()) ?? word;
  return { kind, namespace, name, rest: rest.join(' ') };
}

/** Where the page shows an object; undefined for kinds that have no place of their own. */
export function placeOfObject({ kind, namespace, name }: ObjectName): string | undefined {
  const at = [namespace ?? '', name];
  if (routeKinds.has(kind)) return link('routes', [kind, ...at]);
  if (kind === 'Gateway') return link('gateways', at);
  if (kind === 'Service') return link('backends', [], { q: `${namespace}/${name}` });
  if (kind === 'Listener') return link('listeners', [name]);
  if (kind === 'Secret' || kind === 'Certificate') return link('certificates', [], { q: `${namespace}/${name}` });
  if (kind === 'Node' || kind === 'Proxy') return link('proxies', [name]);
  return undefined;
}

/** `KIND NAMESPACE/NAME`, as a link where there is something to see. */
export function ObjectLink({ object, withKind = true }: { readonly object: ObjectName; readonly withKind?: boolean }) {
  const { kind, namespace, name } = object;
  const text = (
    <>
      {withKind && `${kind} `}
      <Name>{namespace ? `${namespace}/${name}` : name}</Name>
    </>
  );
  const href = placeOfObject(object);
  return href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>;
}
