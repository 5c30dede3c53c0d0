import { Option } from 'commander';
import { guarded, print } from '../kit/command.ts';
import { checkGivenPaths, nameManifests } from '../kit/given-paths.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';
import type { TranslateOptions } from './translate.ts';

interface TranslateArguments extends TranslateOptions {
  readonly file: readonly string[];
  readonly config?: string;
}

export const translateCommand: CommandModule = (program, io) =>
  program
    .command('translate')
    .description('what files become, with no cluster; exit code 1 when something is not accepted')
    .requiredOption('-f, --file <path...>', 'files, or directories of YAML and JSON files')
    .addOption(new Option('--to <form>', 'into what').choices(['ir', 'envoy', 'status']).default('status'))
    .addOption(
      new Option('--type <type>', 'only these Envoy resources').choices(['lds', 'rds', 'cds', 'eds', 'sds', 'ecds']),
    )
    .option('--config <file>', 'configuration file, for controllerName, limits, backends and ingress')
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'yaml']))
    .action((options: TranslateArguments) => guarded(io, () => translate(options, io)));

async function translate({ file, config: path, ...options }: TranslateArguments, io: CliIo): Promise<void> {
  const [
    { preview },
    { loadConfig },
    { hostRules },
    { readFiles },
    { notePorts },
    { isAccepted, translationText },
    { ingressReading },
    { isServed },
  ] = await Promise.all([
    import('../../offline/preview/index.ts'),
    import('../../config/index.ts'),
    import('../../egress/index.ts'),
    import('../kit/read-files.ts'),
    import('../kit/port-notes.ts'),
    import('./translate.ts'),
    import('../kit/ingress-reading.ts'),
    import('./ingress-status.ts'),
  ]);
  if (path !== undefined) await checkGivenPaths([path], 'name a configuration file with --config');
  const config = loadConfig(path, io.env);
  const { controllerName, translatorLimits: limits, backends, extensions } = config;
  await checkGivenPaths(file, nameManifests);
  const { read, deriveIngresses } = await ingressReading(config, file);
  const { events, report } = await readFiles(file, io, read);
  const hosts = hostRules(backends);
  const previewed = preview(events, {
    controllerName,
    limits,
    hosts,
    userCode: extensions,
    now: new Date(),
    deriveIngresses,
  });
  for (const name of previewed.assumedClasses)
    io.writeError(`note: GatewayClass ${name} is not among the files; it is taken for one of ours\n`);
  notePorts(previewed.sharedPorts, io);
  print(io, translationText(previewed, options));
  io.setExitCode(report.valid && previewed.statuses.every(isAccepted) && previewed.ingresses.every(isServed) ? 0 : 1);
}
