import test from 'ava';
import { ensureTestProgram, programVariable } from '../../../scripts/test-program.ts';
import { sourceFile, startProgram } from '../../support/program.ts';

test('the bundle that tests start answers as its sources do', async (t) => {
  const file = process.env[programVariable] ?? (await ensureTestProgram());
  for (const args of [['version'], ['--help'], ['explain', 'no-such-word']]) {
    const ofBundle = await startProgram(args, {}, { file }).ended;
    t.deepEqual(ofBundle, await startProgram(args, {}, { file: sourceFile }).ended);
    t.not(ofBundle.stdout + ofBundle.stderr, '');
  }
});
