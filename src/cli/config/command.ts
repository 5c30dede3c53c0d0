import { guarded, print } from '../kit/command.ts';
import { checkGivenPaths } from '../kit/given-paths.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';

export const configCommand: CommandModule = (program, io) => {
  const config = program.command('config').description('the configuration file');
  config
    .command('check')
    .description('says what is wrong with a configuration file, or that nothing is; starts nothing')
    .option('--config <file>', 'configuration file')
    .action((options: { readonly config?: string }) => guarded(io, () => checkConfig(options.config, io)));
  return config;
};

/** Reads a configuration as a start would, and prints what is wrong with it (exit code 1) or that nothing is. Rejects with a CliError without such a file. */
async function checkConfig(path: string | undefined, io: CliIo): Promise<void> {
  if (path !== undefined) await checkGivenPaths([path], 'name a configuration file with --config');
  const { ConfigError, loadConfig } = await import('../../config/index.ts');
  try {
    loadConfig(path, io.env);
    print(io, `${path ?? 'defaults'}: ok`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.writeError(`gatewright: ${error.message}\n`);
    io.setExitCode(1);
  }
}
