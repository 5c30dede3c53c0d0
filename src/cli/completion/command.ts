import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { parseDurationMs } from '../../std/index.ts';
import { guarded, print } from '../kit/command.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';
import type { Candidates } from './candidates.ts';

export const completionCommand: CommandModule = (program, io) => {
  // What the scripts call. The words stand behind `--`, so that none of them is an option of this command.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => complete(program, words, io));
  return program
    .command('completion')
    .description('prints a script that completes commands and names: eval "$(gatewright completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      guarded(io, async () => {
        const { completionScript } = await import('./completion.ts');
        const commands = program.commands
          .filter((command) => !command.name().startsWith('_'))
          .map((command) => ({
            name: command.name(),
            description: command.description(),
            options: command.options.flatMap(({ long }) => long ?? []),
          }));
        print(io, completionScript(shell, commands));
      }),
    );
};

/** The longest wait after a key press, whatever is wrong with a control plane, unless the user has more patience: `GATEWRIGHT_COMPLETION_TIMEOUT`. */
const usualPatienceMs = 1_000;
const patienceMs = ({ env }: CliIo): number =>
  parseDurationMs(env.GATEWRIGHT_COMPLETION_TIMEOUT ?? '') ?? usualPatienceMs;

/** Prints what the last word may become, a line each, or `:files`. Says nothing of what goes wrong: a line is being typed there. */
async function complete(program: Command, words: readonly string[], io: CliIo): Promise<void> {
  const ended = new AbortController();
  const found = await Promise.race([
    offered(program, words, io).catch(() => []),
    delay(patienceMs(io), undefined, { signal: ended.signal }).catch(() => undefined),
  ]);
  ended.abort();
  // What still waits for an answer would keep the process.
  if (found === undefined) io.exit(0);
  print(io, found === 'files' ? ':files' : found.join('\n'));
}

async function offered(program: Command, words: readonly string[], io: CliIo): Promise<Candidates> {
  const [{ candidates }, { readTypedLine }, { withAdmin }] = await Promise.all([
    import('./candidates.ts'),
    import('./typed-line.ts'),
    import('../kit/connect.ts'),
  ]);
  const line = readTypedLine(program, words);
  const { installNamespace = 'gatewright-system', ...options } = line.options;
  return await candidates(line, async (work) => {
    const answer = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
    await withAdmin({ ...options, installNamespace }, io.env, async (client) => answer.resolve(await work(client)));
    return await answer.promise;
  });
}
