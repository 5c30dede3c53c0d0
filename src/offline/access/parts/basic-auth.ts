import { createHash } from 'node:crypto';
import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, quoted, type Verdict } from '../verdict.ts';

/** Passwords and hashes are never part of a reason. */
export function judgeBasicAuth({ htpasswd, userHeader }: ir.BasicAuth, request: Presented): Verdict {
  const value = request.header('authorization')[0];
  if (value === undefined) return denies(401, 'there is no header authorization');
  if (!value.startsWith('Basic ')) return denies(401, 'the header authorization is not Basic');
  const [, user, password] = /^([^:]*):(.*)$/s.exec(decoded(value.slice('Basic '.length))) ?? [];
  if (user === undefined || password === undefined) return denies(401, 'the header authorization is not USER:PASSWORD');
  const hash = hashOf(user, Buffer.from(htpasswd.reveal()).toString());
  if (hash === undefined) return denies(401, `there is no user ${quoted(user)}`);
  if (createHash('sha1').update(Buffer.from(password, 'latin1')).digest('base64') !== hash)
    return denies(401, `the password of user ${quoted(user)} is wrong`);
  if (userHeader !== undefined) request.setHeader(userHeader, user);
  return passes(`user ${quoted(user)}`);
}

const decoded = (text: string): string =>
  /^[a-z0-9+/]*={0,2}$/i.test(text) ? Buffer.from(text, 'base64').toString('latin1') : '';

function hashOf(user: string, htpasswd: string): string | undefined {
  for (const line of htpasswd.split('\n')) {
    const [, name, hash] = /^([^:]*):\{SHA\}(.*)$/.exec(line) ?? [];
    if (name !== undefined && Buffer.from(name).toString('latin1') === user) return hash;
  }
  return undefined;
}
