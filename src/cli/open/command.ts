import { guarded, number, reaching } from '../kit/command.ts';
import type { ConnectOptions } from '../kit/connect.ts';
import type { CommandModule } from '../kit/io.ts';

interface OpenOptions extends ConnectOptions {
  readonly port: number;
  readonly open: boolean;
}

const description =
  "opens the control plane's page in a browser, in a cluster through a port that is forwarded until interrupted";

export const openCommand: CommandModule = (program, io) =>
  reaching(program.command('open').alias('dashboard').description(description))
    .option('--port <port>', 'of this machine, for one in a cluster; 0: any', number, 0)
    .option('--no-open', 'only print the address')
    .action((options: OpenOptions) =>
      guarded(io, async () => {
        const [{ withAddress }, { openPage }] = await Promise.all([import('../kit/connect.ts'), import('./open.ts')]);
        await withAddress(options, io.env, (url, isForwarded) =>
          openPage(url, io, { isForwarded, withBrowser: options.open, hasToken: hasToken(options, io.env) }),
        );
      }),
    );

const hasToken = ({ tokenFile }: OpenOptions, env: NodeJS.ProcessEnv): boolean =>
  tokenFile !== undefined || Boolean(env.GATEWRIGHT_TOKEN);
