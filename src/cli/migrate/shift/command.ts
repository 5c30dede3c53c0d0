import { Option } from 'commander';
import { guarded, print } from '../../kit/command.ts';
import type { CommandModule } from '../../kit/io.ts';
import { readingWorld, type WorldChoice } from '../read-world.ts';

interface ShiftOptions extends WorldChoice {
  readonly gateway: string;
  readonly output: 'table' | 'json' | 'markdown';
}

export const addShift: CommandModule = (migrate, io) =>
  readingWorld(
    migrate
      .command('shift')
      .description('the steps of a move without a lost request, with the commands for this cluster; changes nothing')
      .requiredOption('--plan', 'prints the steps'),
  )
    .option('--gateway <name>', 'NAMESPACE/NAME of the Gateway that takes the hosts', 'infra/edge')
    .addOption(
      new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'markdown']).default('table'),
    )
    .action((options: ShiftOptions) =>
      guarded(io, async () => {
        const [{ moveFacts, movePlan, planMarkdown, planText }, { readIngresses }, { CliError }] = await Promise.all([
          import('../../../ingress/index.ts'),
          import('../read-ingresses.ts'),
          import('../../kit/cli-error.ts'),
        ]);
        if (!/^[^/]+\/[^/]+$/.test(options.gateway))
          throw new CliError(`--gateway: ${JSON.stringify(options.gateway)} is not NAMESPACE/NAME`);
        const { world, isWhole } = await readIngresses(options, io);
        const plan = movePlan(moveFacts(world), options.gateway);
        const forms = {
          table: planText,
          markdown: planMarkdown,
          json: (value: object) => JSON.stringify(value, null, 2),
        };
        print(io, forms[options.output](plan));
        io.setExitCode(isWhole ? 0 : 2);
      }),
    );
