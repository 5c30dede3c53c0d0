import { Argument } from 'commander';
import { asking, number, print, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import { type ListOptions, listing } from '../kit/list.ts';

interface TopOptions extends ListOptions {
  readonly once?: boolean;
  readonly namespace?: string;
  readonly window: string;
  readonly sort: string;
  readonly limit: number;
}

const description = 'requests a second, errors and durations, the most failing first; refreshes on a terminal';

export const topCommand: CommandModule = (program, io) =>
  listing(asking(program, 'top', description, 'wide', 'name'))
    .addArgument(
      new Argument('[what]', 'of what')
        .choices(['routes', 'backends', 'listeners', 'gateways', 'nodes'])
        .default('routes'),
    )
    .option('--once', 'shows it once; so does any output that is no terminal')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .option('--window <duration>', 'how far back it counts, from 1m to 24h', '1m')
    .option('--sort <by>', 'errors, requests or p99', 'errors')
    .option('--limit <count>', 'how many lines at most', number, 50)
    .action((what: string, options: TopOptions) =>
      run(options, io, async (client) => {
        const { readTraffic, topText, refresh } = await import('./top.ts');
        const read = () => readTraffic(client, { by: what.slice(0, -1), ...options });
        const show = async () => topText(await read(), options, io);
        const isLive = io.isTerminal && !options.once && (options.output === 'table' || options.output === 'wide');
        if (isLive) await refresh(show, io);
        else print(io, await show());
        return true;
      }),
    );
