import { asking, type CommonOptions, number, print, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

interface LogsOptions extends CommonOptions {
  readonly namespace?: string;
  readonly follow?: boolean;
  readonly since: string;
  readonly limit: number;
}

const description = 'requests of a route that failed lately, with what their flags mean and the next step';

export const logsCommand: CommandModule = (program, io) =>
  asking(program, 'logs', description)
    .argument('<route>', 'NAME, NAMESPACE/NAME or KIND/NAMESPACE/NAME')
    .option('-n, --namespace <namespace>', 'where it is; not needed for a name that there is once')
    .option('-f, --follow', 'go on and show new ones, until interrupted')
    .option('--since <time>', 'how far back: 15m, or a time', '15m')
    .option('--limit <count>', 'how many at most', number, 20)
    .action((route: string, options: LogsOptions) =>
      run(options, io, async (client) => {
        const [{ findRoute, readFailures, followFailures, failuresText }, { render }] = await Promise.all([
          import('./logs.ts'),
          import('../kit/output.ts'),
        ]);
        const found = await findRoute(client, route, options.namespace);
        const first = await readFailures(client, { route: found, since: options.since, limit: options.limit });
        print(
          io,
          render(first, options.output, (all) => failuresText(all, found, io)),
        );
        if (options.follow)
          await followFailures(client, io, { route: found, seen: first.items, output: options.output });
        return true;
      }),
    );
