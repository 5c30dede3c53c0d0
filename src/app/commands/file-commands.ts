import { type Command, Option } from 'commander';
import type { TranslateOptions } from '../../cli/index.ts';
import { asking, type CommonOptions, guarded, load, print, run } from './command.ts';

interface TranslateArguments extends TranslateOptions {
  readonly file: readonly string[];
  readonly config?: string;
}

interface DiffArguments extends CommonOptions {
  readonly file?: readonly string[];
  readonly node?: string;
}

/** Adds the commands that begin with files. Exit codes as everywhere: 0 good, 1 not as it should be, 2 it could not be found out. */
export function addFileCommands(program: Command): void {
  program
    .command('translate')
    .description('what files become, with no cluster; exit code 1 when something is not accepted')
    .requiredOption('-f, --file <path...>', 'files, or directories of YAML and JSON files')
    .addOption(new Option('--to <form>', 'into what').choices(['ir', 'envoy', 'status']).default('status'))
    .addOption(
      new Option('--type <type>', 'only these Envoy resources').choices(['lds', 'rds', 'cds', 'eds', 'sds', 'ecds']),
    )
    .option('--config <file>', 'configuration file, for controllerName, limits and backends')
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'yaml']))
    .action((options: TranslateArguments) => guarded(() => translate(options)));
  asking(
    program,
    'diff',
    'what differs: files from what is live, or a data plane from what it is sent; exit code 1 when something does',
  )
    .option('-f, --file <path...>', 'what would change if these files were applied: in objects, statuses and proxies')
    .option('--node <node>', 'what this data plane holds, against what it is sent')
    .action((options: DiffArguments) => diff(options));
}

async function translate({ file, config: path, ...options }: TranslateArguments): Promise<void> {
  const [{ preview }, { loadConfig }, { hostRules }, { readFiles }, { isAccepted, translationText }] =
    await Promise.all([
      import('../../offline/preview/index.ts'),
      import('../../config/index.ts'),
      import('../../egress/index.ts'),
      import('./read-files.ts'),
      load().then(({ loadTranslate }) => loadTranslate()),
    ]);
  const { controllerName, translatorLimits: limits, backends } = loadConfig(path, process.env);
  const { events, report } = await readFiles(file, process.env);
  const previewed = preview(events, { controllerName, limits, hosts: hostRules(backends), now: new Date() });
  for (const name of previewed.assumedClasses)
    process.stderr.write(`note: GatewayClass ${name} is not among the files; it is taken for one of ours\n`);
  print(translationText(previewed, options));
  process.exitCode = report.valid && previewed.statuses.every(isAccepted) ? 0 : 1;
}

function diff(options: DiffArguments): Promise<void> {
  const { file, node, output } = options;
  return run(options, async (client, cli) => {
    if ((file === undefined) === (node === undefined))
      throw new cli.CliError('say what to compare: files with -f, or a data plane with --node');
    if (node !== undefined) {
      const differences = await cli.nodeDiff(client, node);
      print(cli.render(differences, output, cli.nodeDiffText));
      return differences.length === 0;
    }
    const { readFiles } = await import('./read-files.ts');
    const { written, report } = await readFiles(file ?? [], process.env);
    if (!report.valid) throw new cli.CliError('nothing is compared while files are not valid');
    const found = await cli.fileDiff(client, written);
    print(cli.render(found, output, cli.fileDiffText));
    return cli.isWithoutDifference(found);
  });
}
