import { asking, print, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import { type WatchOptions, watchable } from '../kit/watchable.ts';

export const getCommand: CommandModule = (program, io) =>
  watchable(asking(program, 'get', 'lists gateways, listeners, routes, backends, certificates or services'))
    .argument('<what>', 'one of these')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .action((what: string, options: WatchOptions & { readonly namespace?: string }) =>
      run(options, io, async (client) => {
        const [{ findListable, listTable }, { render }, { watchRows }] = await Promise.all([
          import('./get.ts'),
          import('../kit/output.ts'),
          import('../kit/watch-shown.ts'),
        ]);
        const listable = findListable(what);
        const query = options.namespace === undefined ? '' : `?namespace=${encodeURIComponent(options.namespace)}`;
        const read = () => client.get<readonly unknown[]>(`${listable.path}${query}`);
        const text = (rows: readonly unknown[]) =>
          render(rows, options.output, (all) => listTable(listable, all, new Date()));
        if (options.watch) return await watchRows(client, io, { options, read, text, columns: listable.columns });
        print(io, text(await read()));
        return true;
      }),
    );
