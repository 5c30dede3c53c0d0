import type { AdminClient } from '../kit/admin-client.ts';
import { CliError } from '../kit/cli-error.ts';
import { asking, type CommonOptions, printed, run } from '../kit/command.ts';
import type { CliIo, CommandModule } from '../kit/io.ts';

interface DiffOptions extends CommonOptions {
  readonly file?: readonly string[];
  readonly node?: string;
}

export const diffCommand: CommandModule = (program, io) =>
  asking(
    program,
    'diff',
    'what differs: files from what is live, or a data plane from what it is sent; exit code 1 when something does',
  )
    .option('-f, --file <path...>', 'what would change if these files were applied: in objects, statuses and proxies')
    .option('--node <node>', 'what this data plane holds, against what it is sent')
    .action((options: DiffOptions) =>
      run(options, io, (client) => {
        const { file, node, output } = options;
        if (node !== undefined && file === undefined) return ofNode(client, io, { node, output });
        if (file !== undefined && node === undefined) return ofFiles(client, io, { file, output });
        throw new CliError('say what to compare: files with -f, or a data plane with --node');
      }),
    );

async function ofNode(
  client: AdminClient,
  io: CliIo,
  { node, output }: Pick<CommonOptions, 'output'> & { readonly node: string },
): Promise<boolean> {
  const { nodeDiff, nodeDiffText } = await import('./node-diff.ts');
  const differences = await nodeDiff(client, node);
  await printed(io, differences, output, nodeDiffText);
  return differences.length === 0;
}

async function ofFiles(
  client: AdminClient,
  io: CliIo,
  { file, output }: Pick<CommonOptions, 'output'> & { readonly file: readonly string[] },
): Promise<boolean> {
  const [{ fileDiff, fileDiffText, isWithoutDifference }, { readFiles }, { kindsRead }] = await Promise.all([
    import('./file-diff.ts'),
    import('../kit/read-files.ts'),
    import('../../gateway-api/index.ts'),
  ]);
  // Whether Ingresses are served, and EnvoyPatches read, the control plane says.
  const { written, report } = await readFiles(file, io, kindsRead('ingress', 'envoyPatches'));
  if (!report.valid) throw new CliError('nothing is compared while files are not valid');
  const found = await fileDiff(client, written);
  await printed(io, found, output, fileDiffText);
  return isWithoutDifference(found);
}
