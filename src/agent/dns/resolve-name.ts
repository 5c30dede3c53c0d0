import { isIPv6 } from 'node:net';
import type { DecodedPacket } from 'dns-packet';
import {
  type AddressRules,
  forbiddenNames,
  isBelow,
  isClusterName,
  plainName,
  readAddress,
} from '../../egress/index.ts';
import { type AddressType, type NameQuestion, rcodeOf } from './ask-server.ts';
import type { ResolverSettings } from './system-names.ts';

/** An address that a name leads to. */
export interface FoundAddress {
  readonly address: string;
  /** How long it holds, in seconds. */
  readonly ttl: number;
}

/** What happens to a question. `rejected` says why each answer was left out, for people. */
export interface Resolution {
  /** Whether the name exists; false with addresses makes no sense. */
  readonly exists: boolean;
  readonly addresses: readonly FoundAddress[];
  readonly rejected: readonly string[];
}

export interface ResolutionParts {
  readonly rules: Pick<AddressRules, 'faultOf'>;
  readonly clusterDomain: string;
  readonly settings: ResolverSettings;
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Asks the name servers. Rejects when none can answer. */
  readonly ask: (question: NameQuestion) => Promise<DecodedPacket>;
}

/** For addresses that come from no name server. */
const localTtl = 30;
const maxAliases = 8;
/** The most addresses of one name in an answer. */
const maxAddresses = 128;

/**
 * Resolves a name as the system's resolver would: addresses as they are, /etc/hosts, search domains, name servers, aliases; and leaves out
 * what the rules forbid. Search domains of the cluster are not gone through: what a name written without a namespace would lead to is no
 * Service that its writer was judged by. Rejects when no name server can answer.
 */
export async function resolveName(question: NameQuestion, parts: ResolutionParts): Promise<Resolution> {
  const name = plainName(question.name);
  const { type } = question;
  const local = localAddresses(name, parts);
  if (local)
    return judge(
      name,
      local.filter(isOf(type)).map((address) => ({ address, ttl: localTtl })),
      parts,
    );
  const foreign = foreignCluster(name, parts);
  if (foreign) return { exists: true, addresses: [], rejected: [foreign] };
  return resolveByServers({ name, type }, parts);
}

const isOf = (type: AddressType) => (address: string) => isIPv6(address) === (type === 'AAAA');

/** What needs no name server; undefined: it does. Source of the second: RFC 6761, 6.3. */
function localAddresses(name: string, { hosts }: ResolutionParts): readonly string[] | undefined {
  const address = readAddress(name);
  if (address !== undefined) return [address];
  const known = hosts.get(name);
  if (known) return known;
  const [localhost] = forbiddenNames;
  return localhost && isBelow(name, localhost.name) ? ['127.0.0.1', '::1'] : undefined;
}

function judge(name: string, found: readonly FoundAddress[], { rules }: ResolutionParts): Resolution {
  const judged = found.map((each) => ({ ...each, fault: rules.faultOf(each.address) }));
  return {
    exists: true,
    addresses: judged
      .filter(({ fault }) => !fault)
      .map(({ address, ttl }) => ({ address, ttl }))
      .slice(0, maxAddresses),
    rejected: judged.flatMap(({ fault }) => (fault ? [`${name} leads to ${fault.message}`] : [])),
  };
}

/** The control plane looks at the namespace of names below the domain that it knows; those below another one it did not know for what they are. */
function foreignCluster(name: string, { settings, clusterDomain }: ResolutionParts): string | undefined {
  const domain = clusterDomainsOf(settings).find((each) => each !== clusterDomain && isBelow(name, each));
  return domain && `${name} is a name of the cluster, whose domain is ${domain}: set backends.clusterDomain to it`;
}

/** kubelet writes `NAMESPACE.svc.DOMAIN svc.DOMAIN DOMAIN`. */
const clusterDomainsOf = ({ search }: ResolverSettings): string[] =>
  search.flatMap((domain) => (domain.startsWith('svc.') ? [domain.slice('svc.'.length)] : []));

async function resolveByServers({ name, type }: NameQuestion, parts: ResolutionParts): Promise<Resolution> {
  const rejected: string[] = [];
  let exists = false;
  let failure: unknown;
  for (const candidate of candidatesOf(name, parts)) {
    try {
      const found = await follow(name, { name: candidate, type }, parts);
      rejected.push(...found.rejected);
      if (found.addresses.length > 0) return { ...found, rejected };
      exists ||= found.exists;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined && !exists && rejected.length === 0) throw failure;
  return { exists: exists || rejected.length > 0, addresses: [], rejected };
}

/** In the order of resolv.conf(5), ndots. */
function candidatesOf(name: string, { settings: { search, ndots }, clusterDomain }: ResolutionParts): string[] {
  const isCluster = isClusterName(name, clusterDomain);
  const expanded = search
    .map((domain) => `${name}.${domain}`)
    .filter((each) => each.length <= 253 && (isCluster || !isClusterName(each, clusterDomain)));
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...expanded] : [...expanded, name];
}

/** Follows aliases from answer to answer, as far as the servers have not done it themselves. `asked`: for messages. */
async function follow(asked: string, question: NameQuestion, parts: ResolutionParts): Promise<Resolution> {
  let { name } = question;
  let ttl = Number.POSITIVE_INFINITY;
  for (let asks = 0; asks < maxAliases; asks++) {
    const packet = await parts.ask({ ...question, name });
    const end = endOfAliases(name, packet);
    ttl = Math.min(ttl, end.ttl);
    const bad = end.aliases.flatMap((alias) => aliasFault(alias, parts) ?? []);
    if (bad.length > 0) return { exists: true, addresses: [], rejected: bad.map((why) => `${asked} leads to ${why}`) };
    const found = addressesOf(end.name, question.type, packet).map((each) => ({
      ...each,
      ttl: Math.min(ttl, each.ttl),
    }));
    const isWhole = found.length > 0 || end.aliases.length === 0 || rcodeOf(packet) !== 'NOERROR';
    if (isWhole) return { ...judge(asked, found, parts), exists: rcodeOf(packet) !== 'NXDOMAIN' };
    name = end.name;
  }
  throw new Error(`${asked} has more than ${maxAliases} aliases`);
}

/** Where the aliases in one answer lead. */
function endOfAliases(from: string, { answers = [] }: DecodedPacket) {
  const byOwner = new Map(
    answers.flatMap((record) => (record.type === 'CNAME' ? [[plainName(record.name), record] as const] : [])),
  );
  const aliases: string[] = [];
  let name = from;
  let ttl = Number.POSITIVE_INFINITY;
  // Each is taken once, so that a circle ends.
  for (let record = byOwner.get(name); record; record = byOwner.get(name)) {
    byOwner.delete(name);
    name = plainName(record.data);
    ttl = Math.min(ttl, record.ttl ?? 0);
    aliases.push(name);
  }
  return { name, ttl, aliases };
}

/** Nothing of the cluster is reached by an alias, also none of the own namespace: an ExternalName is written by other rights than this name. */
function aliasFault(alias: string, { rules, clusterDomain }: ResolutionParts): string | undefined {
  if (isClusterName(alias, clusterDomain)) return `${alias}, a name of the cluster`;
  const special = forbiddenNames.find(({ name }) => isBelow(alias, name));
  if (!special) return undefined;
  const fault = rules.faultOf(special.why === 'the machine itself' ? '127.0.0.1' : '169.254.169.254');
  return fault && `${alias}, which is ${special.why}`;
}

const addressesOf = (owner: string, type: AddressType, { answers = [] }: DecodedPacket): FoundAddress[] =>
  answers.flatMap((record) =>
    (record.type === 'A' || record.type === 'AAAA') && record.type === type && plainName(record.name) === owner
      ? [{ address: record.data, ttl: record.ttl ?? 0 }]
      : [],
  );
