import test from 'ava';
import { jsonCrdDir, ownCrdDir } from '../../../../scripts/paths.mjs';
import { pathText } from '../../../../src/sources/index.ts';
import { ownObject } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop' }];
const policy = (count: number, when: object) =>
  ownObject('AccessPolicy', 'p', {
    targetRefs,
    authorization: {
      rules: Array.from({ length: count }, (_, index) => ({ name: `r${index}`, action: 'Allow', when })),
    },
  });

test('the definition holds a policy to 64 rules, and an expression to 1,024 characters', async (t) => {
  const validator = await validatorOf([jsonCrdDir(), ownCrdDir]);
  const faults = (object: object): string => {
    const verdict = validator.validate(object as never);
    return verdict.result === 'valid'
      ? 'none'
      : verdict.causes.map(({ path, message }) => `${pathText(path)}: ${message}`).join('\n');
  };
  t.is(faults(policy(64, { cel: `'${'a'.repeat(1022)}'` })), 'none');
  t.regex(faults(policy(65, {})), /^spec\.authorization\.rules: /);
  t.regex(faults(policy(1, { cel: `'${'a'.repeat(1023)}'` })), /\.cel: /);
  t.regex(faults(policy(1, { cel: '' })), /\.cel: /);
});
