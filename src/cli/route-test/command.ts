import { asking, type CommonOptions, printed, repeated, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import type { Wire } from '../kit/wire.ts';
import type { RouteTestOptions } from './route-test.ts';

export const routeTestCommand: CommandModule = (program, io) =>
  asking(program, 'route-test', 'what happens to a request, and why; exit code 1 when no backend gets it')
    .argument('<request...>', 'HOST/PATH, http://HOST:PORT/PATH, or a line of curl, with quotes around it or behind --')
    .option('-X, --request <method>', 'method; GET when neither this nor a line of curl says it')
    .option('-H, --header <header>', 'NAME: VALUE; may be repeated', repeated, [])
    .option('--gateway <gateway>', 'NAMESPACE/NAME or NAME; without it the one that does most')
    .option('--server-name <name>', 'name in the TLS handshake; without it the host')
    .action((words: string[], options: CommonOptions & RouteTestOptions) =>
      run(options, io, async (client) => {
        const [{ routeTestBody, routeTestText }, { withCurl }] = await Promise.all([
          import('./route-test.ts'),
          import('./curl.ts'),
        ]);
        const result = await client.post<Wire['routeTest']>(
          '/v1/route-test',
          routeTestBody(...withCurl(words, options)),
        );
        await printed(io, result, options.output, routeTestText);
        return ['forward', 'redirect'].includes(result.outcome);
      }),
    );
