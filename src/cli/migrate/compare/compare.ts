import {
  askAddress,
  askModel,
  comparisonReport,
  defaultLimits,
  IngressNginxModel,
  isUnexplained,
  noFacts,
  readSideAddress,
  requestFacts,
  runComparison,
  type SideAddress,
  type Sides,
} from '../../../ingress/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import { print } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';
import { readIngresses } from '../read-ingresses.ts';
import type { CompareOptions } from './compare-options.ts';
import { type Known, requestsFor } from './requests.ts';

/** Exit code: 0 nothing differs without an explanation, 1 something does, 2 it could not be found out. */
export async function compare(options: CompareOptions, io: CliIo): Promise<void> {
  const isOffline = options.offline ?? false;
  checkOptions(options, isOffline);
  const read = needsWorld(options) ? await readIngresses(options, io) : undefined;
  const model = read && new IngressNginxModel(read.world);
  const sides = isOffline ? await offlineSides(options, { world: read?.world, model }, io) : liveSides(options, model);
  const requests = await requestsFor(options, { world: read?.world, model }, io);
  const { rate, limit, methods, unsafeHosts } = options;
  const result = await runComparison(requests, sides, {
    ...defaultLimits,
    inAll: limit,
    ...(isOffline ? { rate: undefined, together: 1, methods: 'all' } : { rate, methods, unsafeHosts }),
  });
  print(io, comparisonReport(result, { format: options.output, isByModel: isOffline }));
  if (result.ended) throw new CliError(`--${result.ended.side} does not answer: ${result.ended.reason}`);
  if (result.asked === 0) throw new CliError('nothing was asked: no request was found that may be sent');
  io.setExitCode(read?.isWhole === false ? 2 : result.different.some(isUnexplained) ? 1 : 0);
}

/** Requests of a file can be compared without Ingresses; fewer differences are explained then. */
const needsWorld = ({ file, requests, offline, kubeconfig, context }: CompareOptions): boolean =>
  file.length > 0 ||
  [kubeconfig, context].some((given) => given !== undefined) ||
  requests === undefined ||
  offline === true;

function checkOptions({ from, to, converted, rate, limit, timeout }: CompareOptions, isOffline: boolean): void {
  if (isOffline && converted === undefined)
    throw new CliError('--offline needs what the Ingresses were converted to: name the files with --converted');
  if (isOffline && (from !== undefined || to !== undefined))
    throw new CliError('--offline asks no address: leave out --from and --to');
  if (!isOffline && (from === undefined || to === undefined))
    throw new CliError('name both sides with --from and --to, or say --offline');
  if (!isOffline && from === to) throw new CliError(`--from and --to are the same address ${from}: name two`);
  if (rate <= 0 || limit <= 0 || timeout <= 0) throw new CliError('--rate, --limit and --timeout are more than 0');
}

function liveSides(
  { from = '', to = '', timeout, withBody = false }: CompareOptions,
  model: IngressNginxModel | undefined,
): Sides {
  const options = { timeoutMs: timeout * 1_000, withBody };
  const [old, now] = [addressOf('--from', from), addressOf('--to', to)];
  if (JSON.stringify(old) === JSON.stringify(now))
    throw new CliError(`--from and --to are the same address ${from}: name two`);
  return {
    from: (request) => askAddress(old, request, options),
    to: (request) => askAddress(now, request, options),
    factsOf: (request) => (model ? requestFacts(model, request) : noFacts),
  };
}

function addressOf(option: string, text: string): SideAddress {
  const address = readSideAddress(text);
  if (address) return address;
  throw new CliError(
    `${option}: ${JSON.stringify(text)} is not HOST[:HTTP_PORT[:HTTPS_PORT]]; an IPv6 address is in brackets`,
  );
}

async function offlineSides({ converted = [] }: CompareOptions, { world, model }: Known, io: CliIo): Promise<Sides> {
  if (!world || !model) throw new Error('checkOptions lets no comparison without Ingresses through');
  const { askConverted } = await import('./ask-converted.ts');
  const to = await askConverted(converted, world, io);
  return {
    from: async (request) => askModel(model, request),
    to: async (request) => to(request),
    factsOf: (request) => requestFacts(model, request),
  };
}
