import { guarded, print } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const explainCommand: CommandModule = (program, io) =>
  program
    .command('explain')
    .description('what an error code, or the reason of a condition, means and what to do about it')
    .argument('<code>', 'such as NoMatchingParent or route_not_found')
    .action((code: string) =>
      guarded(io, async () => {
        const { explain } = await import('./explain.ts');
        print(io, await explain(code));
      }),
    );
