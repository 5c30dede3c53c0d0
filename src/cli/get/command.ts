import type { AdminClient } from '../kit/admin-client.ts';
import { asking, print, run } from '../kit/command.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';
import { type ListOptions, listing } from '../kit/list.ts';
import { watchable } from '../kit/watchable.ts';

interface GetOptions extends ListOptions {
  readonly namespace?: string;
  readonly sort?: string;
}

const description = 'lists gateways, listeners, routes, ingresses, backends, certificates, services or accesspolicies';

export const getCommand: CommandModule = (program, io) =>
  listing(watchable(asking(program, 'get', description, 'wide', 'name')))
    .argument('<what>', 'one of these, or KIND/NAME')
    .argument('[name]', 'only those with this name')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .option('--sort <by>', '`state`: the worst first; or another word that the list of the admin API takes')
    .action((what: string, name: string | undefined, options: GetOptions) =>
      run(options, io, (client) => get(client, io, { what, name, options })),
    );

interface Wanted {
  readonly what: string;
  readonly name: string | undefined;
  readonly options: GetOptions;
}

async function get(client: AdminClient, io: CliIo, { what, name: second, options }: Wanted): Promise<true> {
  const [{ findListable, listShape, rowsNamed }, { listText }, { watchRows }] = await Promise.all([
    import('./get.ts'),
    import('../kit/list.ts'),
    import('../kit/watch-shown.ts'),
  ]);
  const [kind = what, name = second] = what.split('/');
  const listable = findListable(kind);
  const { namespace, sort } = options;
  const query = new URLSearchParams({ ...(namespace && { namespace }), ...(sort && { sort }) });
  const readAll = () => client.get<readonly unknown[]>(`${listable.path}${query.size > 0 ? `?${query}` : ''}`);
  const read = async () => (name === undefined ? await readAll() : rowsNamed(listable, await readAll(), name));
  const text = (rows: readonly unknown[]) => listText(rows, listShape(listable, new Date()), options, io);
  if (options.watch) return await watchRows(client, io, { options, read, text, columns: listable.columns });
  print(io, text(await read()));
  return true;
}
