import { readFile } from 'node:fs/promises';
import { CliError } from '../kit/cli-error.ts';
import { asking, type CommonOptions, printed, repeated, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import type { Wire } from '../kit/wire.ts';
import type { RouteTestOptions } from './route-test.ts';

export const routeTestCommand: CommandModule = (program, io) =>
  asking(program, 'route-test', 'what happens to a request, and why; exit code 1 when no backend gets it')
    .argument('<request...>', 'HOST/PATH, http://HOST:PORT/PATH, or a line of curl, with quotes around it or behind --')
    .option('-X, --request <method>', 'method; GET when neither this nor a line of curl says it')
    .option('-H, --header <header>', 'NAME: VALUE; may be repeated', repeated, [])
    .option('--from <address>', 'address of the client, for policies that look at it')
    .option(
      '--cert-san <name>',
      'DNS name, URI, email or IP address in the client certificate; may be repeated',
      repeated,
      [],
    )
    .option('--cert-subject <subject>', 'subject of the client certificate, such as CN=alice,O=Corp')
    .option('--token <token>', 'token to send as Authorization: Bearer; @FILE reads it from a file')
    .option('--gateway <gateway>', 'NAMESPACE/NAME or NAME; without it the one that does most')
    .option('--server-name <name>', 'name in the TLS handshake; without it the host')
    .action((words: string[], options: CommonOptions & RouteTestOptions) =>
      run(options, io, async (client) => {
        const [{ routeTestBody, routeTestText }, { withCurl }] = await Promise.all([
          import('./route-test.ts'),
          import('./curl.ts'),
        ]);
        const asked = routeTestBody(...withCurl(words, { ...options, ...(await writtenToken(options)) }));
        const result = await client.post<Wire['routeTest']>('/v1/route-test', asked);
        await printed(io, result, options.output, routeTestText);
        return ['forward', 'redirect'].includes(result.outcome);
      }),
    );

/** A token on the command line is in the list of processes, so it may be in a file. */
async function writtenToken({ token }: RouteTestOptions): Promise<Pick<RouteTestOptions, 'token'>> {
  if (!token?.startsWith('@')) return {};
  const file = token.slice(1);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CliError(`the token cannot be read: ${error.message}`);
  });
  return { token: text.trim() };
}
