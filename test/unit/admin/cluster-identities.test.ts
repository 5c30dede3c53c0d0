import test from 'ava';
import { Expiring } from '../../../src/admin/auth/kubernetes/expiring.ts';
import { ClusterIdentities, HttpError } from '../../../src/admin/index.ts';
import type { KubeRequest } from '../../../src/kube/index.ts';

interface Asked {
  readonly kind: string;
  readonly spec: { readonly token?: string; readonly user?: string };
}

/** An API server that knows tokens beginning with `good`, and counts what it is asked; `hold` keeps its answers back. */
function world({ audiences = [] as string[], hold = false } = {}) {
  const asked: Asked[] = [];
  const held: (() => void)[] = [];
  let nowMs = 0;
  const answerTo = ({ kind, spec }: Asked): object => {
    if (kind === 'SubjectAccessReview') return { status: { allowed: spec.user === 'good-reader' } };
    const isGood = spec.token?.startsWith('good') === true;
    return { status: isGood ? { authenticated: true, user: { username: spec.token } } : { authenticated: false } };
  };
  const json = async ({ body }: KubeRequest): Promise<never> => {
    const question = JSON.parse(body as string) as Asked;
    asked.push(question);
    if (hold) await new Promise<void>((resolve) => held.push(resolve));
    return answerTo(question) as never;
  };
  const identities = new ClusterIdentities({ client: { json }, audiences, nowMs: () => nowMs });
  return {
    identities,
    asked,
    release: () => held.splice(0).forEach((resume) => void resume()),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'accepted',
    (error: unknown) => (error instanceof HttpError ? error.code : String(error)),
  );

test('equal tokens are asked for once in ten seconds, accepted or rejected', async (t) => {
  const { identities, asked, pass } = world();
  await Promise.all([identities.personOf('good-token', 'a'), identities.personOf('good-token', 'b')]);
  t.true(identities.knows('good-token'));
  t.is(await codeOf(identities.personOf('wrong-token', 'a')), 'unauthorized');
  t.is(await codeOf(identities.personOf('wrong-token', 'a')), 'unauthorized');
  t.is(asked.length, 2);
  pass(10_000);
  t.false(identities.knows('good-token'));
  await identities.personOf('good-token', 'a');
  await codeOf(identities.personOf('wrong-token', 'a'));
  t.is(asked.length, 4);
});

test('what has not the form of a token is rejected without a question', async (t) => {
  const { identities, asked } = world();
  for (const token of ['short', 'x'.repeat(17_000), 'has"quotes"in', 'line\nbreak-in-it', 'ümlaut-token'])
    t.is(await codeOf(identities.personOf(token, 'a')), 'unauthorized', token.slice(0, 20));
  t.is(asked.length, 0);
});

test('one address has eight questions open at most, and all of them 32', async (t) => {
  const { identities, asked, release } = world({ hold: true });
  const many = Array.from({ length: 50 }, (_, index) => codeOf(identities.personOf(`wrong-token-${index}`, 'flood')));
  t.is(asked.length, 8);
  const other = codeOf(identities.personOf('good-person', 'elsewhere'));
  t.is(asked.length, 9);
  const more = Array.from({ length: 50 }, (_, index) =>
    codeOf(identities.personOf(`wrong-other-${index}`, `10.0.0.${index}`)),
  );
  t.is(asked.length, 32);
  release();
  t.is(await other, 'accepted');
  const codes = [...(await Promise.all(many)), ...(await Promise.all(more))];
  t.is(codes.filter((code) => code === 'unauthorized').length, 31);
  t.is(codes.filter((code) => code === 'identity_unavailable').length, 69);
});

test('rights to paths count for five seconds, those to objects are asked for each time', async (t) => {
  const { identities, asked, pass } = world();
  const person = { username: 'good-reader', groups: [], extra: {} };
  const path = { verb: 'get', path: '/v1/summary' };
  t.true(await identities.mayUse(person, path));
  t.true(await identities.mayUse(person, path));
  t.false(await identities.mayUse({ ...person, username: 'other' }, path));
  t.is(asked.length, 2);
  pass(5_000);
  await identities.mayUse(person, path);
  t.is(asked.length, 3);
  const object = { verb: 'patch', group: 'g', resource: 'r', namespace: 'n', name: 'x' } as const;
  await identities.mayWrite(person, object);
  await identities.mayWrite(person, object);
  t.is(asked.length, 5);
});

test('an answer for no audience of ours is a rejection, also from a server that knows no audiences', async (t) => {
  const { identities } = world({ audiences: ['gatewright-admin'] });
  t.is(await codeOf(identities.personOf('good-token', 'a')), 'unauthorized');
});

test('a cache keeps so many and no more, the oldest go first', (t) => {
  const kept = new Expiring<number>(3, () => 0);
  for (const index of [1, 2, 3, 4]) kept.keep(String(index), index, 1000);
  t.is(kept.size, 3);
  t.is(kept.find('1'), undefined);
  t.is(kept.find('4'), 4);
});
