import { conversionReport, convert, inventoryOf, judge, withNginxDefaults } from '../../../ingress/index.ts';
import { counted } from '../../../std/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import { print } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';
import { readWorld, type WorldChoice } from '../read-world.ts';
import { writeUnlessStrange } from './output.ts';

export interface ConvertArguments extends WorldChoice {
  /** Of which controller; `suffix` is for Envoy Gateway, `gateway` for the others, `entryPoint` and `ruleSyntax` for Traefik. */
  readonly from: 'ingress-nginx' | 'envoy-gateway' | 'traefik';
  readonly gateway?: { readonly namespace: string; readonly name: string };
  readonly suffix: string;
  readonly entryPoint: readonly (readonly [name: string, port: number])[];
  readonly ruleSyntax: 'v2' | 'v3';
  readonly out: string;
  readonly gatewayClass: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly certificates: 'reference' | 'explicit' | 'annotate';
  readonly like?: 'nginx';
  readonly strict?: boolean;
  readonly includeDead?: boolean;
  readonly without: readonly string[];
  readonly force?: boolean;
}

/** Converts what is read, and writes files; none if the directory holds what it would lose. */
export async function convertTo(options: ConvertArguments, io: CliIo): Promise<void> {
  const { gateway } = options;
  if (gateway === undefined) throw new CliError('name the Gateway that is made: --gateway NAMESPACE/NAME');
  const { world, unread } = await readWorld(options);
  const { gatewayClass, httpPort, httpsPort, certificates, includeDead = false } = options;
  const judgement = judge(options.like ? withNginxDefaults(world) : world, { withDead: includeDead });
  const conversion = convert(judgement, {
    gateway,
    gatewayClass,
    httpPort,
    httpsPort,
    certificates,
    includeDead,
    without: new Set(options.without),
  });
  const report = conversionReport(
    inventoryOf({ ...judgement, site: { ...judgement.site, world } }, unread),
    conversion,
  );
  const files = new Map([...conversion.files, ['report.md', report]]);
  if (!(await writeUnlessStrange(files, options, io))) return;
  const of = (outcome: string) => conversion.ingresses.filter((each) => each.outcome === outcome);
  print(
    io,
    `${counted(of('converted').length, 'Ingress', 'Ingresses')} converted into ${counted(files.size, 'file')} of ${options.out}; read report.md`,
  );
  for (const { judged } of of('closed'))
    io.writeError(`gatewright: ${judged.key} is not converted: its paths answer 503 (see report.md)\n`);
  for (const { judged, verdict } of of('left')) {
    const why = verdict === 'same' ? 'is left out, since others answer all of its paths' : 'is left out';
    io.writeError(`gatewright: ${judged.key} ${why} (see report.md)\n`);
  }
  for (const line of unread) io.writeError(`gatewright: ${line}\n`);
  const bad = options.strict ? ['cannot', 'decision', 'differs'] : ['cannot', 'decision'];
  const isWhole =
    conversion.disputed.length === 0 &&
    conversion.ingresses.every(({ verdict, outcome }) =>
      outcome === 'left' ? verdict === 'same' : outcome === 'converted' && !bad.includes(verdict),
    );
  io.setExitCode(unread.length > 0 ? 2 : isWhole ? 0 : 1);
}
