import type * as ir from '../../../ir/index.ts';
import { type BasicCredential, basicCredential, type Outcome, UserList } from '../../../passwords/index.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, quoted, unknown, type Verdict } from '../verdict.ts';

/** Passwords and hashes are never part of a reason. */
export async function judgeBasicAuth({ htpasswd, userHeader }: ir.BasicAuth, request: Presented): Promise<Verdict> {
  const value = request.header('authorization')[0];
  if (value === undefined) return denies(401, 'there is no header authorization');
  if (!value.startsWith('Basic ')) {
    const isMisspelt = value.toLowerCase().startsWith('basic ');
    const more = isMisspelt ? ': "Basic " is compared with case' : '';
    return denies(401, `the header authorization is not Basic${more}`);
  }
  const credential = basicCredential(value);
  if (!credential) return denies(401, 'the header authorization is not USER:PASSWORD');
  const { user } = credential;
  const users = new UserList(htpasswd.reveal());
  if (!users.has(user)) return denies(401, `there is no user ${named(credential)}`);
  const outcome = await request.passwords.check({ ...credential, users, from: 'route-test' });
  if (outcome === 'right' && userHeader !== undefined) request.setHeader(userHeader, user);
  return verdictOf(outcome, `user ${named(credential)}`);
}

const named = ({ user }: BasicCredential): string => quoted(Buffer.from(user, 'latin1').toString());

function verdictOf(outcome: Outcome, user: string): Verdict {
  if (outcome === 'right') return passes(user);
  if (outcome === 'wrong') return denies(401, `the password of ${user} is wrong`);
  return unknown(`the password of ${user} was not checked, since too many are: ask again in a minute`);
}
