import * as ir from '../../ir/index.ts';
import { networkBits } from '../../std/index.ts';
import { comparePart, nounOf } from './weaker-parts.ts';

/** Something that a route's connections had to show. */
interface WeakerConnections {
  /** `KIND/NAMESPACE/NAME`, the kind in lower case. */
  readonly route: string;
  readonly part: ir.AccessPart;
  readonly message: string;
}

/** What connections of a host had to show, and need not any more. Another route may demand what it likes. */
export function weakerConnections(before: ir.StreamHost, after: ir.StreamHost): WeakerConnections[] {
  const { source } = after;
  // What was closed let no connection in, and is no measure.
  if (source === undefined || before.source !== source || before.shares.length === 0 || after.shares.length === 0)
    return [];
  const { namespace, name } = ir.parseRouteId(source);
  const texts = [
    ['clientIPs', weakerSources(before.sources, after.sources)],
    ['clientCertificates', weakerCertificates(before.certificates, after.certificates)],
  ] as const;
  return texts.flatMap(([part, text]) =>
    text === undefined ? [] : { route: source, part, message: `${namespace}/${name} ${text}` },
  );
}

const gone = (part: ir.AccessPart): string => `no longer demands ${nounOf(part)}`;

function weakerCertificates(
  before: ir.ClientCertificates | undefined,
  after: ir.ClientCertificates | undefined,
): string | undefined {
  if (!before) return undefined;
  const part = 'clientCertificates';
  return after ? comparePart(part, { [part]: before }, { [part]: after }) : gone(part);
}

function weakerSources(before: ir.StreamSources | undefined, after: ir.StreamSources | undefined): string | undefined {
  if (!before) return undefined;
  if (!after) return gone('clientIPs');
  const [was, is] = [verdictsOf(before), verdictsOf(after)];
  const isWider =
    after.allow.some((network) => verdictOn(network, was) !== 'allow') ||
    before.deny.some((network) => verdictOn(network, is) === 'allow');
  return isWider ? 'lets more networks in' : undefined;
}

type Verdicts = ReadonlyMap<string, 'allow' | 'deny'>;

const verdictsOf = ({ allow, deny }: ir.StreamSources): Verdicts =>
  new Map([
    ...allow.map((network) => [networkBits(network), 'allow'] as const),
    ...deny.map((network) => [networkBits(network), 'deny'] as const),
  ]);

/** Of the networks that have it, the narrowest one counts. */
function verdictOn(network: ir.Cidr, verdicts: Verdicts): 'allow' | 'deny' | undefined {
  const bits = networkBits(network);
  for (let length = bits.length; length > 0; length -= 1) {
    const verdict = verdicts.get(bits.slice(0, length));
    if (verdict) return verdict;
  }
  return undefined;
}
