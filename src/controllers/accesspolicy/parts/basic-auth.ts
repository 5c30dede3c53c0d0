import type { ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { sensitive, tooMany } from './credentials.ts';
import { writtenHeaderFault } from './header-names.ts';
import { invalid, type Level, type PartDeps, quoted, type ResolvedPart, type Spec } from './part.ts';
import { describeData, labelAdvice, madeOnce, referred, secretText } from './referred-data.ts';

const defaultKey = '.htpasswd';

const realmPattern = /^[-A-Za-z0-9 ._~!()*+,;=:@/]{1,128}$/;

export function resolveBasicAuth(
  { secretRef, realm, userHeader }: NonNullable<Spec['basicAuth']>,
  { policy, store, level }: PartDeps,
): ResolvedPart<ir.BasicAuth> {
  const faults = [
    ...writtenHeaderFault('basicAuth.userHeader', userHeader),
    ...(realm !== undefined && !realmPattern.test(realm)
      ? ['basicAuth.realm has characters that cannot be shown']
      : []),
  ];
  const { key = defaultKey } = secretRef;
  const found = referred('Secret', secretRef, policy, store);
  const read =
    'fault' in found
      ? { faults: [found.fault] }
      : madeOnce(policy, `basicAuth ${level}`, [found.object], () => {
          const where = `${key} of ${describeData('Secret', found.object)}${labelAdvice(found.object, key, defaultKey)}`;
          return readHtpasswd(secretText(found.object, key), where, level);
        });
  const common = {
    ...(faults.length > 0 && { faults: faults.map(invalid) }),
    ...(read.faults.length > 0 && { referenceFaults: read.faults }),
  };
  if (faults.length > 0 || !('users' in read) || !read.users) return common;
  return {
    ...common,
    value: {
      htpasswd: read.users,
      ...(realm !== undefined && { realm }),
      ...(userHeader && { userHeader: userHeader.toLowerCase() }),
    },
  };
}

interface ReadUsers {
  readonly users?: ir.Sensitive;
  readonly faults: readonly ConditionFault[];
}

/** Users that proxies cannot check are left out and named; the others can come in. */
function readHtpasswd(text: string | undefined, where: string, level: Level): ReadUsers {
  const lines = (text ?? '').split(/\r\n|\r|\n/).map((line) => line.trim());
  const users = new Map<string, string>();
  const faults: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const [user, hash] = [line.slice(0, colon), line.slice(colon + 1)];
    const fault = colon < 1 || !isName(user) ? `line ${index + 1} is not USER:{SHA}HASH` : userFault(user, hash, users);
    if (fault) faults.push(`${where}: ${fault}`);
    else users.set(user, hash);
  }
  if (users.size === 0) faults.push(`${where} has no user that can come in: add lines of \`htpasswd -s\``);
  const excess = tooMany('users', users.size, level);
  if (excess) faults.push(`${where}: ${excess}`);
  const reported = faults.map((message): ConditionFault => ({ reason: 'InvalidSecret', message }));
  if (users.size === 0 || excess) return { faults: reported };
  return { users: sensitive([...users].map(([user, hash]) => `${user}:${hash}\n`).join('')), faults: reported };
}

const isName = (user: string): boolean => user.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(user);

function userFault(user: string, hash: string, users: ReadonlyMap<string, string>): string | undefined {
  const name = `user ${quoted(user)}`;
  if (users.has(user)) return `${name} is there twice: the first line counts`;
  const [, digest] = /^\{SHA\}([A-Za-z0-9+/]{27}=)$/.exec(hash) ?? [];
  if (digest && Buffer.from(digest, 'base64').length === 20) return undefined;
  return `${name} has ${formatOf(hash)}, which proxies cannot check: write the line by \`htpasswd -s\``;
}

/** Never the hash itself, nor what may be a password in the clear. */
function formatOf(hash: string): string {
  if (/^\$2[abxy]?\$/.test(hash)) return 'a bcrypt hash';
  if (hash.startsWith('$apr1$')) return 'an MD5 hash ($apr1$)';
  if (/^\{SHA256\}|^\$5\$/.test(hash)) return 'a SHA-256 hash';
  if (/^\{SHA512\}|^\$6\$/.test(hash)) return 'a SHA-512 hash';
  if (hash.startsWith('{SSHA}')) return 'a salted SHA-1 hash';
  return hash.startsWith('{SHA}') ? 'a {SHA} hash that is not 20 bytes in base64' : 'no {SHA} hash';
}
