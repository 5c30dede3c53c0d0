import { type Command, InvalidArgumentError, Option } from 'commander';
import { guarded, repeated } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';
import { readingWorld } from '../read-world.ts';
import type { ConvertArguments } from './convert.ts';

/** Adds `migrate convert`. */
export function addConvert(migrate: Command, io: CliIo): void {
  readingWorld(
    migrate
      .command('convert')
      .description(
        'writes the Gateway API objects that do what those of another gateway do; exit code 0: all of it, 1: something is left, 2: not all was read',
      ),
  )
    .addOption(
      new Option('--from <what>', 'whose objects are converted')
        .choices(['ingress-nginx', 'envoy-gateway', 'traefik'])
        .default('ingress-nginx'),
    )
    .option('--gateway <namespace/name>', 'the Gateway that is made, from ingress-nginx and Traefik', gatewayName)
    .option('--suffix <text>', 'what names of copies end in, from Envoy Gateway', suffix, '-gatewright')
    .option('--entry-point <name=port>', 'the port of an entry point of Traefik', entryPoint, [])
    .addOption(
      new Option('--rule-syntax <version>', 'grammar of the rules of Traefik').choices(['v2', 'v3']).default('v3'),
    )
    .requiredOption('--out <directory>', 'where files are written; it may hold what an earlier conversion wrote')
    .option('--gateway-class <name>', 'of the Gateway', 'gatewright')
    .option('--http-port <number>', 'of the Gateway', port, 80)
    .option('--https-port <number>', 'of the Gateway', port, 443)
    .addOption(
      new Option(
        '--certificates <how>',
        'of cert-manager: Secrets as they are, Certificates, or annotations of ListenerSets',
      )
        .choices(['reference', 'explicit', 'annotate'])
        .default('reference'),
    )
    .addOption(
      new Option('--like <what>', 'writes down what ingress-nginx limits and repeats silently').choices(['nginx']),
    )
    .option('--strict', 'exit code 1 also if something is answered in another way')
    .option('--include-dead', 'converts Ingresses too that are not served today')
    .option(
      '--without <namespace/name>',
      'converts this object although a part of it that protects has no equivalent here',
      repeated,
      [],
    )
    .option('--force', 'overwrites files of the directory that no conversion wrote, or that were changed since')
    .action((options: ConvertArguments) =>
      guarded(io, async () => {
        if (options.from === 'ingress-nginx') {
          const { convertTo } = await import('./convert.ts');
          await convertTo(options, io);
        } else {
          const { convertObjectsTo } = await import('./convert-objects.ts');
          await convertObjectsTo(options.from, options, io);
        }
      }),
    );
}

const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const names = new RegExp(`^(?<namespace>${label})/(?<name>${label}(\\.${label})*)$`);

function gatewayName(text: string): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = names.exec(text)?.groups ?? {};
  if (namespace === undefined || name === undefined) throw new InvalidArgumentError('it is not NAMESPACE/NAME');
  return { namespace, name };
}

function entryPoint(
  text: string,
  known: readonly (readonly [string, number])[],
): readonly (readonly [string, number])[] {
  const { name, number = '' } = new RegExp(`^(?<name>${label})=(?<number>\\d+)$`).exec(text)?.groups ?? {};
  if (name === undefined) throw new InvalidArgumentError('it is not NAME=PORT');
  return [...known, [name, port(number)]];
}

function suffix(text: string): string {
  if (/^-[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('it is not a hyphen with letters and digits behind it');
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
  throw new InvalidArgumentError('it is not a port');
}
