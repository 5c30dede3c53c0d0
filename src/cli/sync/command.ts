import { asking, number, print, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import { type ListOptions, listing } from '../kit/list.ts';
import { progressOn } from '../kit/progress.ts';
import { watchable } from '../kit/watchable.ts';
import type { Wire } from '../kit/wire.ts';

interface SyncCommandOptions extends ListOptions {
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout: number;
  readonly nodes: number;
}

const description = 'whether every connected data plane runs the newest snapshot; exit code 1 when one does not';

export const syncCommand: CommandModule = (program, io) =>
  listing(watchable(asking(program, 'sync', description, 'wide', 'name')))
    .option('--wait', 'until they do')
    .option('--timeout <seconds>', 'how long to wait', number, 60)
    .option('--nodes <count>', 'how many there must be at least', number, 1)
    .action((options: SyncCommandOptions) =>
      run(options, io, async (client) => {
        const [{ sync, syncText }, { render }] = await Promise.all([import('./sync.ts'), import('../kit/output.ts')]);
        const { wait = false, timeout, nodes } = options;
        const text = (state: Wire['sync']) => render(state, options.output, (all) => syncText(all, options, io));
        if (options.watch) {
          const { watchText } = await import('../kit/watch-shown.ts');
          const read = () => client.get<Wire['sync']>('/v1/snapshot-sync');
          return await watchText(client, io, { options, read, text, types: 'node,snapshot' });
        }
        const progress = progressOn(io);
        const { isInSync, state } = await sync(client, {
          wait,
          timeoutMs: timeout * 1_000,
          nodes,
          onWait: progress.say,
        });
        progress.end();
        print(io, text(state));
        return isInSync;
      }),
    );
