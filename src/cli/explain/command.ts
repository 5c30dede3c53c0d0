import { guarded, print } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const explainCommand: CommandModule = (program, io) =>
  program
    .command('explain')
    .description('what a problem, response flag, condition reason or error code means, and what to do')
    .argument('<code>', 'such as UF, NoMatchingParent or route_not_found')
    .action((code: string) =>
      guarded(io, async () => {
        const { explain } = await import('./explain.ts');
        print(io, await explain(code));
      }),
    );
