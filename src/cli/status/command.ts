import { asking, printed, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import { type WatchOptions, watchable } from '../kit/watchable.ts';

export const statusCommand: CommandModule = (program, io) =>
  watchable(
    asking(program, 'status', 'what is served, and all that is wrong with it; exit code 1 when something is'),
  ).action((options: WatchOptions) =>
    run(options, io, async (client) => {
      const { readStatus, statusText } = await import('./status.ts');
      const read = () => readStatus(client);
      if (options.watch) {
        const [{ watchText }, { render }] = await Promise.all([
          import('../kit/watch-shown.ts'),
          import('../kit/output.ts'),
        ]);
        return await watchText(client, io, { options, read, text: (all) => render(all, options.output, statusText) });
      }
      const report = await read();
      await printed(io, report, options.output, statusText);
      return report.problems.length === 0;
    }),
  );
