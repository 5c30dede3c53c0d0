import {
  type Conversion,
  convertEnvoyGateway,
  convertTraefik,
  envoyGatewayKinds,
  objectsReport,
  type SourceKind,
  type SourceObjects,
  traefikKinds,
  verdictOf,
} from '../../../migrate/index.ts';
import { counted } from '../../../std/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import { print } from '../../kit/command.ts';
import { checkGivenPaths, nameManifests } from '../../kit/given-paths.ts';
import type { CliIo } from '../../kit/io.ts';
import type { ConvertArguments } from './convert.ts';
import { writeUnlessStrange } from './output.ts';

/** What is read of a gateway that has objects of its own, and what makes ours of them. */
interface Source {
  readonly title: string;
  readonly kinds: readonly SourceKind[];
  readonly convert: (objects: SourceObjects, options: ConvertArguments) => Conversion;
}

export const sources: Readonly<Record<'envoy-gateway' | 'traefik', Source>> = {
  'envoy-gateway': {
    title: 'Envoy Gateway',
    kinds: envoyGatewayKinds,
    convert: (objects, { suffix, without }) => convertEnvoyGateway(objects, { suffix, without: new Set(without) }),
  },
  traefik: {
    title: 'Traefik',
    kinds: traefikKinds,
    convert(objects, { gateway, gatewayClass, httpPort, httpsPort, entryPoint, ruleSyntax, without }) {
      if (gateway === undefined) throw new CliError('name the Gateway that is made: --gateway NAMESPACE/NAME');
      const entryPoints = Object.fromEntries(entryPoint);
      const ports = { httpPort, httpsPort, entryPoints };
      return convertTraefik(objects, {
        gateway,
        gatewayClass,
        ...ports,
        syntax: ruleSyntax,
        without: new Set(without),
      });
    },
  },
};

/** Converts the objects of another gateway, and writes files; none if the directory holds what it would lose. */
export async function convertObjectsTo(
  from: keyof typeof sources,
  options: ConvertArguments,
  io: CliIo,
): Promise<void> {
  const { title, kinds, convert } = sources[from];
  const { objects, unread } = await readSource(options, kinds);
  const conversion = convert(objects, options);
  mustHaveAny(title, conversion, unread);
  const files = new Map([...conversion.files, ['report.md', objectsReport(title, conversion, unread)]]);
  if (!(await writeUnlessStrange(files, options, io))) return;
  const of = (outcome: string) => conversion.objects.filter((each) => each.outcome === outcome);
  print(
    io,
    `${counted(of('converted').length, 'object')} converted into ${counted(files.size, 'file')} of ${options.out}; read report.md`,
  );
  for (const { id } of of('closed'))
    io.writeError(`gatewright: ${id} is not converted: what it is for denies all requests (see report.md)\n`);
  for (const { id } of of('left')) io.writeError(`gatewright: ${id} is left out (see report.md)\n`);
  for (const line of unread) io.writeError(`gatewright: ${line}\n`);
  const invalid = await invalidIn(options.out, io);
  for (const line of invalid) io.writeError(`gatewright: what is written cannot be applied: ${line}\n`);
  const bad = options.strict ? ['cannot', 'decision', 'differs'] : ['cannot', 'decision'];
  const isWhole = conversion.objects.every((each) => each.outcome !== 'closed' && !bad.includes(verdictOf(each)));
  io.setExitCode(unread.length > 0 ? 2 : isWhole && invalid.length === 0 ? 0 : 1);
}

/** Rejects a mistaken directory or cluster: there is no object of that gateway. */
export function mustHaveAny(title: string, { objects }: Conversion, unread: readonly string[]): void {
  if (objects.length === 0 && unread.length === 0)
    throw new CliError(
      `no object of ${title} was found: name files with -f, or a cluster with --kubeconfig or --context`,
    );
}

/** Values that came over as they were may be none that an API server takes: then a policy would be missing beside its route. */
async function invalidIn(directory: string, io: CliIo): Promise<readonly string[]> {
  const { formatFinding, validatePaths } = await import('../../../offline/validate/index.ts');
  const { findings } = await validatePaths([directory], await io.validator());
  return findings.filter(({ severity }) => severity === 'error').map(formatFinding);
}

/** Reads files, or the cluster. */
export async function readSource(options: ConvertArguments, kinds: readonly SourceKind[]) {
  const { readSourceCluster, readSourceFiles } = await import('../../../migrate/index.ts');
  if (options.file.length > 0) {
    await checkGivenPaths(options.file, nameManifests);
    return await readSourceFiles(options.file, kinds);
  }
  const { loadKubeConfig } = await import('../../kit/kube-config.ts');
  return await readSourceCluster(loadKubeConfig(options), kinds);
}
