import test from 'ava';
import * as ir from '../../../../src/ir/index.ts';
import { judgeBasicAuth } from '../../../../src/offline/access/parts/basic-auth.ts';
import { judgeJwt } from '../../../../src/offline/access/parts/jwt.ts';
import { Presented } from '../../../../src/offline/access/presented.ts';
import { signer } from '../../../support/tokens.ts';

/** Envoy compares the names of schemes with case, so a good credential behind another spelling is not found. */

const asking = (authorization: string) =>
  new Presented({
    method: 'GET',
    path: '/',
    header: (name) => (name === 'authorization' ? [authorization] : []),
    now: new Date(0),
    passwords: { check: () => Promise.reject(new Error('asked for a password')) },
  });
const key = signer('k');
const token = key.token({ sub: 'ann' });
const provider: ir.JwtProvider = {
  id: 'default/staff/staff',
  audiences: [],
  keys: JSON.stringify({ keys: [key.jwk] }),
  from: [],
  forwardToken: false,
  claimsToHeaders: [],
};

test('a token behind a prefix in other letters is not found, and the reason says why', async (t) => {
  const judged = (value: string) => judgeJwt({ optional: false, providers: [provider] }, asking(value));
  t.like(await judged(`Bearer ${token}`), { verdict: 'passes' });
  const missing = 'there is no token in header authorization';
  t.like(await judged(`bearer ${token}`), { status: 401, reason: `${missing}: "Bearer " is compared with case` });
  t.like(await judged('Basic YTpi'), { status: 401, reason: missing });
});

test('so is a password', async (t) => {
  const basicAuth: ir.BasicAuth = { htpasswd: new ir.Sensitive(Buffer.from('ann:{SHA}x')) };
  const reasonOf = async (value: string) => (await judgeBasicAuth(basicAuth, asking(value))).reason;
  const other = 'the header authorization is not Basic';
  t.is(await reasonOf('basic YTpi'), `${other}: "Basic " is compared with case`);
  t.is(await reasonOf(`Bearer ${token}`), other);
});
