import { asking, number, print, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import { type WatchOptions, watchable } from '../kit/watchable.ts';
import type { Wire } from '../kit/wire.ts';

interface SyncCommandOptions extends WatchOptions {
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout: number;
  readonly nodes: number;
}

export const syncCommand: CommandModule = (program, io) =>
  watchable(
    asking(
      program,
      'sync',
      'whether every connected data plane runs the newest snapshot; exit code 1 when one does not',
    ),
  )
    .option('--wait', 'until they do')
    .option('--timeout <seconds>', 'how long to wait', number, 60)
    .option('--nodes <count>', 'how many there must be at least', number, 1)
    .action((options: SyncCommandOptions) =>
      run(options, io, async (client) => {
        const [{ sync, syncText }, { render }] = await Promise.all([import('./sync.ts'), import('../kit/output.ts')]);
        const { wait = false, timeout, nodes } = options;
        const text = (state: Wire['sync']) => render(state, options.output, syncText);
        if (options.watch) {
          const { watchText } = await import('../kit/watch-shown.ts');
          const read = () => client.get<Wire['sync']>('/v1/snapshot-sync');
          return await watchText(client, io, { options, read, text, types: 'node,snapshot' });
        }
        const { isInSync, state } = await sync(client, { wait, timeoutMs: timeout * 1_000, nodes });
        print(io, text(state));
        return isInSync;
      }),
    );
