import type { ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { bcryptCost, hashFormat, maxBcryptCost } from '../../../passwords/index.ts';
import { madeOnce } from '../../policies/index.ts';
import { sensitive, tooMany } from './credentials.ts';
import { writtenHeaderFault } from './header-names.ts';
import { invalid, type Level, type PartDeps, quoted, type ResolvedPart, type Spec } from './part.ts';
import { describeData, labelAdvice, referred, secretText } from './referred-data.ts';

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
      ...read.users,
      ...(realm !== undefined && { realm }),
      ...(userHeader && { userHeader: userHeader.toLowerCase() }),
    },
  };
}

interface ReadUsers {
  readonly users?: Pick<ir.BasicAuth, 'htpasswd' | 'hashed'>;
  readonly faults: readonly ConditionFault[];
}

/** Users whose passwords cannot be checked are left out and named; the others can come in. */
function readHtpasswd(text: string | undefined, where: string, level: Level): ReadUsers {
  const lines = (text ?? '').split(/\r\n|\r|\n/).map((line) => line.trim());
  const users = new Map<string, string>();
  const faults: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const [user, hash] = [line.slice(0, colon), line.slice(colon + 1)];
    const fault = colon < 1 || !isName(user) ? `line ${index + 1} is not USER:HASH` : userFault(user, hash, users);
    if (fault) faults.push(`${where}: ${fault}`);
    else users.set(user, hash);
  }
  if (users.size === 0) faults.push(`${where} has no user that can come in: add lines of \`htpasswd -B\``);
  const excess = tooMany('users', users.size, level);
  if (excess) faults.push(`${where}: ${excess}`);
  const reported = faults.map((message): ConditionFault => ({ reason: 'InvalidSecret', message }));
  if (users.size === 0 || excess) return { faults: reported };
  const isHashed = [...users.values()].some((hash) => hashFormat(hash) !== 'sha');
  const htpasswd = sensitive([...users].map(([user, hash]) => `${user}:${hash}\n`).join(''));
  return { users: { htpasswd, ...(isHashed && { hashed: true }) }, faults: reported };
}

const isName = (user: string): boolean => user.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(user);

function userFault(user: string, hash: string, users: ReadonlyMap<string, string>): string | undefined {
  const name = `user ${quoted(user)}`;
  if (users.has(user)) return `${name} is there twice: the first line counts`;
  if (bcryptCost(hash) > maxBcryptCost)
    return `${name} has a bcrypt hash of cost ${bcryptCost(hash)}, and more than ${maxBcryptCost} takes too long to check: write the line by \`htpasswd -B -C 10\``;
  if (hashFormat(hash) !== undefined) return undefined;
  return `${name} has ${formatOf(hash)}, which proxies cannot check: write the line by \`htpasswd -B\``;
}

/** Never the hash itself, nor what may be a password in the clear. */
function formatOf(hash: string): string {
  if (hash.startsWith('$2x$')) return 'a hash of an older bcrypt with a known flaw ($2x$)';
  if (/^\$2[aby]?\$/.test(hash)) return 'a bcrypt hash that is not whole';
  if (hash.startsWith('$apr1$')) return 'an $apr1$ hash that is not whole';
  if (/^\{SHA256\}|^\$5\$/.test(hash)) return 'a SHA-256 hash';
  if (/^\{SHA512\}|^\$6\$/.test(hash)) return 'a SHA-512 hash';
  if (hash.startsWith('{SSHA}')) return 'a salted SHA-1 hash';
  return hash.startsWith('{SHA}') ? 'a {SHA} hash that is not 20 bytes in base64' : 'no hash of a known format';
}
