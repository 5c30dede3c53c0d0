import { Option } from 'commander';
import { guarded, print } from '../../kit/command.ts';
import type { CliIo, CommandModule } from '../../kit/io.ts';
import { readingWorld, type WorldChoice } from '../read-world.ts';

interface StatusOptions extends WorldChoice {
  readonly output: 'table' | 'json';
}

export const addStatus: CommandModule = (migrate, io) =>
  readingWorld(
    migrate
      .command('status')
      .description(
        'how far a move is: which Ingresses have routes that are accepted, and which have changed since; exit code 0: all, 1: not all, 2: not all was read',
      ),
  )
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json']).default('table'))
    .action((options: StatusOptions) => guarded(io, () => status(options, io)));

async function status(options: StatusOptions, io: CliIo): Promise<void> {
  const [{ isMoved, judge, migrationStatus, statusText }, { readIngresses }] = await Promise.all([
    import('../../../ingress/index.ts'),
    import('../read-ingresses.ts'),
  ]);
  const { world, isWhole } = await readIngresses(options, io);
  const found = migrationStatus(judge(world), await newWorld(options, io));
  print(io, options.output === 'json' ? JSON.stringify(found, null, 2) : statusText(found));
  io.setExitCode(!isWhole || found.unread.length > 0 ? 2 : isMoved(found) ? 0 : 1);
}

/** Of the same files, or of the same cluster. */
async function newWorld(options: StatusOptions, io: CliIo) {
  if (options.file.length === 0) {
    const [{ readNewWorld }, { loadKubeConfig }] = await Promise.all([
      import('../../../ingress/index.ts'),
      import('../../kit/kube-config.ts'),
    ]);
    return await readNewWorld(loadKubeConfig(options));
  }
  const { readObjects } = await import('../../../sources/index.ts');
  const { events } = await readObjects(options.file, await io.validator());
  const routes = events.flatMap(({ kind, object }) => (kind.name === 'HTTPRoute' ? [object as never] : []));
  return { routes, isCluster: false, unread: [] };
}
