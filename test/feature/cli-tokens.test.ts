import test from 'ava';
import { SecretText } from '../../src/config/index.ts';
import { startAdmin } from '../support/admin.ts';
import { runCommand } from '../support/command.ts';

test('a wrong token, a read-only one and no server: the error says what to do', async (t) => {
  const admin = await startAdmin(
    { bearerToken: new SecretText('full'), readOnlyBearerToken: new SecretText('reader'), protect: [] },
    { offerAgain: () => undefined },
  );
  t.teardown(() => admin.close());
  const server = `http://127.0.0.1:${admin.ports.layout1}`;
  const said = async (args: string[], token: string, at = server) => {
    const { code, stderr } = await runCommand(args, { GATEWRIGHT_SERVER: at, GATEWRIGHT_TOKEN: token });
    t.is(code, 2, args.join(' '));
    return stderr;
  };
  const reading = [['status'], ['get', 'routes'], ['nodes'], ['route-test', 'http://a.test/'], ['sync']];
  for (const args of reading) {
    t.regex(await said(args, 'wrong'), /; give the token with --token-file or GATEWRIGHT_TOKEN\)/, args.join(' '));
    t.regex(await said(args, 'full', 'http://127.0.0.1:9'), /cannot reach .*Say where with --server/, args.join(' '));
  }
  t.regex(
    await said(['nodes', '--clear', 'n1'], 'reader'),
    /this one is for reading \(token_read_only; give the full token, `token` of its Secret, with --token-file or GATEWRIGHT_TOKEN\)/,
  );
});
