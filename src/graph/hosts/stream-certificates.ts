import type * as ir from '../../ir/index.ts';

/**
 * What policies of a route demand together of its clients' certificates. Proxies compare them in the handshake with one list of names: where a route and its rule
 * demand some, those that both have. Undefined: nothing; `closed`: no certificate can meet it.
 */
export function certificatesOf({ route, rule }: ir.RouteAccess = {}): ir.ClientCertificates | 'closed' | undefined {
  const demands = [route, rule].flatMap((access) => access?.clientCertificates ?? []);
  if (demands.length === 0) return undefined;
  const [first, ...others] = demands.flatMap(({ names }) => (names ? [names] : []));
  if (!first) return {};
  const names = others.reduce<readonly ir.CertificateName[]>(
    (common, more) => common.filter((name) => more.some((other) => isSame(name, other))),
    first,
  );
  return names.length === 0 ? 'closed' : { names };
}

const isSame = (one: ir.CertificateName, other: ir.CertificateName): boolean =>
  one.kind === other.kind && one.match.kind === other.match.kind && one.match.value === other.match.value;
