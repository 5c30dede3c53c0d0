import { credentialsLabel, type ObjectByKind } from '../../../gateway-api/index.ts';
import type { ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { madeOnce } from '../../policies/index.ts';
import { sensitive, tooMany } from './credentials.ts';
import { headerFaults, writtenHeaderFault } from './header-names.ts';
import { invalid, type Level, type PartDeps, type ResolvedPart, type Spec } from './part.ts';
import { describeData, referred, secretText } from './referred-data.ts';

type ApiKeysSpec = NonNullable<Spec['apiKeys']>;
type Secret = ObjectByKind['Secret'];

/** What a header can carry, without spaces around it. */
const fit = /^[!-~](?:[ -~]*[!-~])?$/;

export function resolveApiKeys(spec: ApiKeysSpec, { policy, store, level }: PartDeps): ResolvedPart<ir.ApiKeys> {
  const { secretRefs, from, identityHeader, forwardKey = false } = spec;
  const faults = [
    ...writtenHeaderFault('apiKeys.identityHeader', identityHeader),
    ...headerFaults(
      'apiKeys.from',
      from.flatMap(({ header }) => header ?? []),
    ),
    ...(from.length === 0 ? ['apiKeys.from: say where requests have their key'] : []),
  ];
  const found = secretRefs.map((ref) => referred('Secret', ref, policy, store));
  const missing = found.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const secrets = found.flatMap((each) => ('object' in each ? [each.object] : []));
  const read =
    missing.length > 0
      ? { faults: missing }
      : madeOnce(policy, `apiKeys ${level}`, secrets, () => readKeys(secrets, level));
  const common = {
    ...(faults.length > 0 && { faults: faults.map(invalid) }),
    ...(read.faults.length > 0 && { referenceFaults: read.faults }),
  };
  if (faults.length > 0 || !('keys' in read) || !read.keys) return common;
  return {
    ...common,
    value: {
      keys: read.keys,
      from: from.map(sourceOf),
      ...(identityHeader && { identityHeader: identityHeader.toLowerCase() }),
      forwardKey,
    },
  };
}

function sourceOf({ header, cookie, query = '' }: ApiKeysSpec['from'][number]): ir.CredentialSource {
  if (header !== undefined) return { kind: 'header', name: header.toLowerCase() };
  return cookie !== undefined ? { kind: 'cookie', name: cookie } : { kind: 'query', name: query };
}

interface Entry {
  readonly client: string;
  readonly key: string;
  readonly secret: string;
}

interface ReadKeys {
  readonly keys?: ir.Sensitive;
  readonly faults: readonly ConditionFault[];
}

/** A key that proxies cannot compare, or that says two names, lets no request in; the others do. Messages name clients, never keys. */
function readKeys(secrets: readonly Secret[], level: Level): ReadKeys {
  const entries = secrets.filter(isReadWhole).flatMap(entriesOf);
  const unusable = entries.filter(({ key }) => !fit.test(key));
  const byKey = Map.groupBy(
    entries.filter(({ key }) => fit.test(key)),
    ({ key }) => key,
  );
  const shared = [...byKey.values()].filter((same) => new Set(same.map(({ client }) => client)).size > 1);
  const good = [...byKey.values()].filter((same) => !shared.includes(same)).map(([first]) => first as Entry);
  const faults = [
    ...unusable.map(({ client, key, secret }) =>
      key === ''
        ? `the key of client ${client} in ${secret} is empty`
        : `the key of client ${client} in ${secret} has characters that no header may have`,
    ),
    ...shared.map((same) => `clients ${named(same)} have the same key, which lets none of them in: give each its own`),
    ...secrets.filter((secret) => !isReadWhole(secret)).map(unlabelled),
    ...secrets.filter((secret) => isReadWhole(secret) && entriesOf(secret).length === 0).map(emptySecret),
    ...[tooMany('API keys', good.length, level)].flatMap((fault) => fault ?? []),
  ].map((message): ConditionFault => ({ reason: 'InvalidSecret', message }));
  if (good.length === 0 || tooMany('API keys', good.length, level) !== undefined) return { faults };
  const pairs = good.map(({ client, key }) => [client, key] as const).sort(compare);
  return { keys: sensitive(JSON.stringify(pairs)), faults };
}

/** Of other Secrets a cluster's source keeps no entries that have names of clients. */
const isReadWhole = ({ metadata }: Secret): boolean => metadata.labels?.[credentialsLabel] === 'true';

const unlabelled = (secret: Secret): string =>
  `${describeData('Secret', secret)} lacks the label ${credentialsLabel}: "true", without which the keys of clients in it are not read`;

const emptySecret = (secret: Secret): string =>
  `${describeData('Secret', secret)} has no keys: add an entry CLIENT: KEY`;

const entriesOf = (secret: Secret): Entry[] =>
  Object.keys(secret.data ?? {}).map((client) => ({
    client,
    key: (secretText(secret, client) ?? '').replace(/\r?\n$/, ''),
    secret: describeData('Secret', secret),
  }));

const named = (entries: readonly Entry[]): string =>
  [...new Set(entries.map(({ client }) => client))].sort().join(' and ');

type Pair = readonly [client: string, key: string];

const compare = (one: Pair, other: Pair): number => (one.join('\0') < other.join('\0') ? -1 : 1);
