import { guarded, print } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const completionCommand: CommandModule = (program, io) =>
  program
    .command('completion')
    .description('prints a script that completes commands: eval "$(gatewright completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      guarded(io, async () => {
        const { completionScript } = await import('./completion.ts');
        const commands = program.commands.map((command) => ({
          name: command.name(),
          description: command.description(),
          options: command.options.flatMap(({ long }) => long ?? []),
        }));
        print(io, completionScript(shell, commands));
      }),
    );
