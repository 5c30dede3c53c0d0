import test from 'ava';
import { jsonCrdDir, ownCrdDir } from '../../../../scripts/paths.mjs';
import { kindsRead } from '../../../../src/gateway-api/index.ts';
import { pathText } from '../../../../src/sources/index.ts';
import { ownObject } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';

const targetRefs = [{ group: '', kind: 'Service', name: 'web' }];
const cluster = { connect_timeout: '2s' };

async function errorsOf(spec: object): Promise<string[]> {
  const validator = await validatorOf([jsonCrdDir(), ownCrdDir], kindsRead('envoyPatches'));
  const verdict = validator.validate(ownObject('EnvoyPatch', 'p', spec));
  return verdict.result === 'valid' ? [] : verdict.causes.map(({ path, message }) => `${pathText(path)}: ${message}`);
}

const bad: readonly (readonly [what: string, spec: object, message: RegExp])[] = [
  ['no target', { cluster }, /targetRefs/],
  ['an empty list of targets', { targetRefs: [], cluster }, /targetRefs/],
  ['17 targets', { targetRefs: Array(17).fill(targetRefs[0]), cluster }, /targetRefs/],
  ['nothing to patch', { targetRefs }, /say what to patch/],
  ['a text for a patch', { targetRefs, cluster: 'connect_timeout: 2s' }, /cluster/],
  ['a list of operations', { targetRefs, cluster: [{ op: 'remove', path: '/name' }] }, /cluster/],
  ['a part that is none', { targetRefs, cluster, secret: {} }, /secret/],
  [
    'a part of a Gateway',
    {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'http' }],
      listener: {},
    },
    /only an HTTPRoute or a GRPCRoute has parts/,
  ],
];
for (const [what, spec, message] of bad)
  test(`the definition rejects ${what}`, async (t) => {
    t.regex((await errorsOf(spec)).join('\n'), message);
  });

test('the definition takes all parts, with whatever is in them', async (t) => {
  const parts = { cluster: { any: [{ thing: null }] }, routeAction: {}, listener: {}, connectionManager: {} };
  t.deepEqual(await errorsOf({ targetRefs, ...parts, httpProtocolOptions: {} }), []);
});
