import type { AdminClient } from '../kit/admin-client.ts';
import { asking, print, printed, run } from '../kit/command.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';
import { type ListOptions, listing } from '../kit/list.ts';
import { watchable } from '../kit/watchable.ts';
import type { Wire } from '../kit/wire.ts';

interface NodesOptions extends ListOptions {
  readonly clear?: string;
  readonly gateway?: string;
}

const description = 'data planes, what they have applied, and what they reject';

export const nodesCommand: CommandModule = (program, io) =>
  listing(watchable(asking(program, 'nodes', description, 'wide', 'name')))
    .option('--clear <node>', 'offers a data plane once more what it rejected')
    .option('--gateway <gateway>', 'NAMESPACE/NAME: with --clear, which of the data planes with this id')
    .action((options: NodesOptions) =>
      run(options, io, (client) =>
        options.clear === undefined
          ? list(client, io, options)
          : clear(client, io, { ...options, node: options.clear }),
      ),
    );

async function clear(
  client: AdminClient,
  io: CliIo,
  { node, gateway, output }: NodesOptions & { readonly node: string },
): Promise<true> {
  const { offeredAgainText } = await import('./nodes.ts');
  const query = gateway === undefined ? '' : `?gateway=${encodeURIComponent(gateway)}`;
  const path = `/v1/nodes/${encodeURIComponent(node)}/refusals${query}`;
  await printed(io, await client.delete<Wire['offeredAgain']>(path), output, offeredAgainText);
  return true;
}

async function list(client: AdminClient, io: CliIo, options: NodesOptions): Promise<true> {
  const [{ nodeColumns: columns, nodeList }, { listText }, { watchRows }] = await Promise.all([
    import('./nodes.ts'),
    import('../kit/list.ts'),
    import('../kit/watch-shown.ts'),
  ]);
  const read = () => client.get<readonly Wire['node'][]>('/v1/nodes');
  const text = (nodes: readonly Wire['node'][]) => listText(nodes, nodeList(new Date()), options, io);
  if (options.watch) return await watchRows(client, io, { options, read, text, columns, types: 'node,snapshot' });
  print(io, text(await read()));
  return true;
}
