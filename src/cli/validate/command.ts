import { Option } from 'commander';
import type { CommandModule } from '../kit/io.ts';
import type { ValidateOptions } from './validate.ts';

export const validateCommand: CommandModule = (program, io) =>
  program
    .command('validate')
    .description('judge files as the program reads them, with no cluster; exit code 0: valid, 1: not, 2: cannot judge')
    .argument('<path...>', 'files, or directories of YAML and JSON files')
    .addOption(
      new Option('-o, --output <format>', 'how findings are printed').choices(['text', 'json']).default('text'),
    )
    .option('--with-references', 'references between objects too; as is done for a directory')
    .option('--no-with-references', 'no references, also of a directory')
    .option('--strict', 'objects of kinds that are not read are errors too')
    .action(async (paths: string[], options: ValidateOptions) => {
      const { validate } = await import('./validate.ts');
      io.setExitCode(await validate(paths, options, io));
    });
