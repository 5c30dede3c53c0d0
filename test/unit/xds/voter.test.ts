import test from 'ava';
import { versions } from '../../../scripts/paths.mjs';
import { isVoter, ourRelease } from '../../../src/xds/nodes/voter.ts';

test('our release is the Envoy that everything is tested with', (t) => {
  t.regex(versions.ENVOY, new RegExp(`^${ourRelease.major}\\.${ourRelease.minor}\\.`));
});

for (const [what, userAgent, votes] of [
  ['an Envoy of our release', { name: 'envoy', release: ourRelease }, true],
  ['an older Envoy', { name: 'envoy', release: { major: 1, minor: 39 } }, false],
  ['a newer Envoy', { name: 'envoy', release: { major: 1, minor: 41 } }, false],
  ['gRPC', { name: 'gRPC Go' }, false],
  ['a client that says only its name', { name: 'envoy' }, false],
] as const) {
  test(`${what} ${votes ? 'votes' : 'does not vote'}`, (t) => {
    t.is(isVoter(userAgent), votes);
  });
}
