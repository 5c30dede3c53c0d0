import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { imageKey, type ModuleImage } from '../../../src/contracts/index.ts';
import { ImagePuller, PullFault } from '../../../src/images/index.ts';
import { type ModuleCode, Sensitive } from '../../../src/ir/index.ts';
import { HandClock } from '../../support/hand-clock.ts';

const imageOf = (name: string, namespace = 'shop'): ModuleImage => ({
  namespace,
  reference: `r.test/${name}@sha256:${'0'.repeat(64)}`,
});

const moduleOf = (digest: string): ModuleCode => ({ code: new Sensitive(new Uint8Array()), digest });

interface Pull {
  readonly reference: string;
  readonly signal: AbortSignal;
  done(bytes?: number): void;
  fail(message: string): void;
}

function world() {
  const clock = new HandClock();
  const pulls: Pull[] = [];
  /** What is said last of each image: the digest of a module, or why there is none. */
  const said = new Map<string, string | undefined>();
  const puller = new ImagePuller({
    clock,
    maxNamespaceBytes: 100,
    random: () => 1,
    pull: ({ reference }, signal) =>
      new Promise((resolve, reject) =>
        pulls.push({
          reference,
          signal,
          done: (bytes = 10) => resolve({ module: moduleOf(reference), bytes }),
          fail: (message) => reject(new PullFault(message)),
        }),
      ),
    onResult: (key, _, result) => said.set(key, result instanceof PullFault ? result.message : result?.digest),
  });
  return { clock, pulls, said, puller };
}

test('an image is pulled once for all policies of a namespace, and forgotten with the last of them', async (t) => {
  const { pulls, said, puller } = world();
  const image = imageOf('a');
  puller.want('shop/one', image);
  puller.want('shop/two', image);
  t.is(pulls.length, 1);
  pulls[0]?.done();
  await turn();
  t.is(said.get(imageKey(image)), image.reference);
  puller.want('shop/one', undefined);
  t.is(said.get(imageKey(image)), image.reference);
  puller.want('shop/two', undefined);
  t.is(said.get(imageKey(image)), undefined);
  // Another namespace has its own.
  puller.want('other/one', imageOf('a', 'other'));
  t.is(pulls.length, 2);
});

test('what fails is tried again later, and at once when what it is pulled by changes', async (t) => {
  const { clock, pulls, said, puller } = world();
  const image = imageOf('a');
  puller.want('shop/one', image);
  pulls[0]?.fail('down');
  await turn();
  t.is(said.get(imageKey(image)), 'down');
  clock.move(4000);
  t.is(pulls.length, 2);
  pulls[1]?.fail('still down');
  await turn();
  puller.retry(({ namespace }) => namespace === 'other');
  t.is(pulls.length, 2);
  puller.retry(({ namespace }) => namespace === 'shop');
  t.is(pulls.length, 3);
  pulls[2]?.done();
  await turn();
  t.is(said.get(imageKey(image)), image.reference);
});

test('the former module of a policy stands in until the next one is there or failed, and no longer', async (t) => {
  const { pulls, said, puller } = world();
  const [before, after] = [imageOf('a'), imageOf('b')];
  puller.want('shop/one', before);
  pulls[0]?.done();
  await turn();
  puller.want('shop/one', after);
  t.deepEqual([said.get(imageKey(before)), said.get(imageKey(after))], [undefined, before.reference]);
  pulls[1]?.fail('gone');
  await turn();
  t.is(said.get(imageKey(after)), 'gone');
});

test('registries that never answer hold up two images of their namespace, and no others', async (t) => {
  const { pulls, said, puller } = world();
  for (const name of ['a', 'b', 'c', 'd']) puller.want(`shop/${name}`, imageOf(name));
  t.is(pulls.length, 2);
  puller.want('other/one', imageOf('a', 'other'));
  t.is(pulls.length, 3);
  pulls[2]?.done();
  await turn();
  t.is(said.size, 1);
  // One that no policy wants any more makes room.
  puller.want('shop/a', undefined);
  t.true(pulls[0]?.signal.aborted);
  pulls[0]?.fail('given up');
  await turn();
  t.is(pulls.length, 4);
  t.false([...said.values()].includes('given up'));
});

test('the modules of a namespace have a bound together', async (t) => {
  const { pulls, said, puller } = world();
  for (const name of ['a', 'b']) puller.want(`shop/${name}`, imageOf(name));
  for (const pull of pulls) pull.done(60);
  await turn();
  t.deepEqual([...said.values()].sort(), [
    imageOf('a').reference,
    'the modules of its namespace have more than 100 bytes with it',
  ]);
});

test('all is settled when each image was pulled or failed', async (t) => {
  const { pulls, puller } = world();
  await puller.settled();
  puller.want('shop/a', imageOf('a'));
  let isSettled = false;
  const settled = puller.settled().then(() => {
    isSettled = true;
  });
  await turn();
  t.false(isSettled);
  pulls[0]?.fail('down');
  await settled;
  t.true(isSettled);
});
