import { asking, type CommonOptions, printed, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

interface CollectCommandOptions extends CommonOptions {
  readonly file?: string;
  readonly metrics?: string;
}

export const collectCommand: CommandModule = (program, io) =>
  asking(program, 'collect', 'everything that helps to find out what is wrong, without secrets, in one archive')
    .option('-f, --file <file>', 'the archive; else gatewright-TIME.tar.gz here')
    .option('--metrics <url>', 'of the metrics listener; else port 18082 where the admin API is')
    .action((options: CollectCommandOptions) =>
      run(options, io, async (client) => {
        const [{ collect, collectedText }, { withTexts }] = await Promise.all([
          import('./collect.ts'),
          import('../kit/connect.ts'),
        ]);
        const now = new Date();
        const file = options.file ?? `gatewright-${now.toISOString().replaceAll(/[:.]/g, '-')}.tar.gz`;
        await withTexts(options, io.env, client, async (texts) => {
          const collected = await collect(client, { file, version: io.version, now, texts });
          await printed(io, collected, options.output, collectedText);
        });
        return true;
      }),
    );
