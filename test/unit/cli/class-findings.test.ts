import type { CustomObjectsApi } from '@kubernetes/client-node';
import test from 'ava';
import { classFindings } from '../../../src/cli/precheck/class-findings.ts';

const failing = (error: Error): CustomObjectsApi =>
  ({ listClusterCustomObject: () => Promise.reject(error) }) as unknown as CustomObjectsApi;

const titles = test.macro({
  exec: async (t, error: Error, what: RegExp, remedy: RegExp) => {
    const [finding, ...more] = await classFindings(failing(error));
    t.deepEqual(more, []);
    t.is(finding?.level, 'warning');
    t.regex(finding?.what ?? '', what);
    t.regex(finding?.remedy ?? '', remedy);
  },
  title: (_, error: Error) => `GatewayClasses that cannot be listed: ${error.message}`,
});

const answered = (code: number, message: string) => Object.assign(new Error(message), { code });

test(titles, answered(404, 'a new definition'), /does not serve GatewayClasses yet/, /run this again/);
test(titles, answered(403, 'forbidden'), /cannot be listed$/, /administrator/);
test(titles, new Error('socket hang up'), /cannot be listed: socket hang up/, /run this again/);
