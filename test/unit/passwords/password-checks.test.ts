import test, { type ExecutionContext } from 'ava';
import { PasswordChecks, UserList } from '../../../src/passwords/index.ts';
import { htpasswdLines, htpasswdOf } from '../../support/htpasswd.ts';
import { thorough } from '../../support/repetitions.ts';

/** With real threads. Users have cheap hashes, but for those that are meant to be slow. */

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const users = new UserList(Buffer.from(htpasswdOf()));

function checksOf(t: ExecutionContext) {
  let now = 0;
  const checks = new PasswordChecks({ now: () => now });
  t.teardown(() => checks.close());
  const check = (user: string, password: string, from = '192.0.2.1', signal?: AbortSignal) =>
    checks.check({ users, user: latin1(user), password: latin1(password), from }, signal);
  return {
    checks,
    check,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('every user comes in by the own password, and by no other', async (t) => {
  const { check } = checksOf(t);
  for (const [user, { password }] of Object.entries(htpasswdLines)) {
    t.is(await check(user, password), 'right', user);
    t.is(await check(user, `${password} `), 'wrong', user);
    t.is(await check(user, ''), 'wrong', user);
  }
});

thorough(test)('a user who is not there is wrong with every password, also with another one’s', async (t) => {
  const { check } = checksOf(t);
  for (const name of ['', 'stranger', 'Ann', 'ann ', 'a:n'])
    for (const { password } of Object.values(htpasswdLines)) t.is(await check(name, password, name), 'wrong', name);
});

test('a password with NUL is wrong, also where bcrypt would begin again behind it', async (t) => {
  const { check, checks } = checksOf(t);
  for (const password of ['secret\0', 'secret\0secret', '\0', 'secret\0x']) {
    t.is(await check('ann', password), 'wrong');
    t.is(await check('carol', password), 'wrong');
  }
  t.is(await check('ann', 's'.repeat(1_000_000)), 'wrong');
  t.is(checks.counts.seconds, 0, 'nothing was worked out');
});

test('what was found out is known for five minutes, right or wrong, for this user and password alone', async (t) => {
  const { check, checks, pass } = checksOf(t);
  t.is(await check('ann', 'secret'), 'right');
  t.is(await check('ann', 'wrong'), 'wrong');
  pass(299_999);
  t.is(await check('ann', 'secret'), 'right');
  t.is(await check('ann', 'wrong'), 'wrong');
  t.is(checks.counts.remembered, 2);
  t.is(await check('carol', 'secret'), 'right');
  t.is(checks.counts.remembered, 2);
  pass(1);
  t.is(await check('ann', 'secret'), 'right');
  t.is(checks.counts.remembered, 2);
});

test('another hash is another question: a changed password counts at once', async (t) => {
  const { checks, check } = checksOf(t);
  t.is(await check('ann', 'secret'), 'right');
  const changed = new UserList(Buffer.from(`ann:${htpasswdLines.colon.hash}\n`));
  t.is(await checks.check({ users: changed, user: 'ann', password: 'secret', from: 'a' }), 'wrong');
  t.is(await checks.check({ users: changed, user: 'ann', password: 'a:b:c', from: 'a' }), 'right');
});

test('equal questions at one time are worked out once', async (t) => {
  const { check, checks } = checksOf(t);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => check('ann', 'wrong')));
  t.deepEqual(new Set(outcomes), new Set(['wrong']));
  t.is(checks.counts.outcomes.wrong, 50);
  // 49 more wrong ones would have used up the budget.
  t.is(await check('ann', 'other'), 'wrong');
});

test('an address with many wrong passwords has to wait, others do not, and who is known comes in from it', async (t) => {
  const { check, pass } = checksOf(t);
  t.is(await check('ann', 'secret'), 'right');
  const guesses = await Promise.all(Array.from({ length: 60 }, (_, index) => check('ann', `guess ${index}`)));
  // Two more may have begun when the budget ended.
  const wrong = guesses.filter((outcome) => outcome === 'wrong').length;
  t.true(wrong >= 20 && wrong <= 21, String(wrong));
  t.is(guesses.filter((outcome) => outcome === 'tooOften').length, 60 - wrong);
  t.is(await check('carol', 'secret'), 'tooOften');
  t.is(await check('ann', 'secret'), 'right', 'known from before');
  t.is(await check('carol', 'secret', '192.0.2.2'), 'right');
  pass(60_000);
  t.is(await check('jörg', 'pässwörd'), 'right');
});

test('more than can wait are busy, of all addresses', async (t) => {
  const { check } = checksOf(t);
  const gone = new AbortController();
  const all = Array.from({ length: 300 }, (_, index) =>
    check('ann', `x${index}`, `192.0.2.${index % 250}`, gone.signal),
  );
  // At once: none of those that have begun can end before.
  gone.abort();
  const outcomes = await Promise.all(all);
  t.is(outcomes.filter((outcome) => outcome === 'busy').length >= 298, true);
  t.is(await check('carol', 'secret'), 'right', 'and then there is room again');
});

test('a check that no request waits for is left out; one that others wait for is not', async (t) => {
  const { check } = checksOf(t);
  const running = [check('ann', '1'), check('ann', '2')];
  const [one, two] = [new AbortController(), new AbortController()];
  const left = check('ann', '3', undefined, one.signal);
  const shared = [check('carol', 'secret', undefined, two.signal), check('carol', 'secret')];
  one.abort();
  two.abort();
  t.is(await left, 'busy');
  t.deepEqual(await Promise.all(shared), ['right', 'right']);
  t.deepEqual(await Promise.all(running), ['wrong', 'wrong']);
});

test('after its end everything is busy', async (t) => {
  const { check, checks } = checksOf(t);
  const asked = check('bob', 'correct horse');
  await checks.close();
  t.is(await asked, 'busy');
  t.is(await check('ann', 'secret'), 'busy');
});
