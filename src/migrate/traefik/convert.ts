import { idOf, type SourceObjects } from '../kit/objects.ts';
import { Output } from '../kit/output.ts';
import type { Conversion, Converted } from '../kit/result.ts';
import { type IngressRouteRead, type RouteContext, readIngressRoute, writeIngressRoute } from './ingress-routes.ts';
import { Listeners } from './listeners.ts';
import type { TraefikOptions } from './options.ts';
import { swapsOf } from './order.ts';
import { Services } from './services.ts';
import { convertStream } from './streams.ts';
import { convertOptions } from './tls-options.ts';

/** Notes about the order of one object’s rules. */
const mostSwaps = 20;

/** What objects of Traefik are here. The same objects and options give the same bytes. */
export function convertTraefik(objects: SourceObjects, options: TraefikOptions): Conversion {
  const output = new Output();
  const services = new Services(objects);
  const listeners = new Listeners(objects, options);
  const read = objects.of('IngressRoute').map((source) => readIngressRoute(source, options));
  const context: RouteContext = { objects, options, listeners, services, output, isPlain: plainHosts(read) };
  noteOrder(read);
  const converted: Converted[] = [
    ...read.map((each) => writeIngressRoute(each, context)),
    ...['IngressRouteTCP', 'IngressRouteUDP']
      .flatMap((kind) => objects.of(kind))
      .map((source) => convertStream(source, context)),
    ...convertOptions(objects.of('TLSOption'), listeners, output),
  ];
  services.write(output);
  listeners.write(output);
  return { files: output.files(), objects: [...converted, ...others(objects)] };
}

/** Hosts of which a rule has an expression for its path: there `/` is one too, since expressions are tried last. */
function plainHosts(read: readonly IngressRouteRead[]): RouteContext['isPlain'] {
  const special = new Set(
    read
      .flatMap(({ ordered }) => ordered)
      .filter(({ match: { path } }) => path !== undefined && path.kind !== 'exact' && path.value !== '/')
      .flatMap(({ match: { hostnames } }) => (hostnames.length === 0 ? ['*'] : hostnames)),
  );
  return (hosts) => !(hosts.length === 0 ? ['*'] : hosts).some((host) => special.has(host));
}

/** Rules that Traefik tries in another order are named, each with a request that shows it. By HTTP and by HTTPS apart. */
function noteOrder(read: readonly IngressRouteRead[]): void {
  for (const isTls of [false, true]) {
    const of = read.filter((each) => each.isTls === isTls);
    const swaps = Map.groupBy(swapsOf(of.flatMap(({ ordered }) => ordered)), ({ first }) => first.id);
    for (const { source, notes } of of)
      for (const { second, request } of (swaps.get(idOf(source)) ?? []).slice(0, mostSwaps))
        notes.push({
          verdict: 'decision',
          field: 'routes[].priority',
          text: `${request} is answered by ${second.id} here, since its rule is the more specific one to the Gateway API`,
        });
  }
}

/** Kinds that are part of what names them: what is lost of them is noted there. */
const parts = ['Middleware', 'MiddlewareTCP', 'TraefikService', 'ServersTransport'];

/** What is part of others, and is looked at there. */
function others(objects: SourceObjects): readonly Converted[] {
  const named = parts
    .flatMap((kind) => objects.of(kind))
    .map((source): Converted => {
      if (objects.isNamed(source)) return { id: idOf(source), outcome: 'converted', notes: [] };
      return {
        id: idOf(source),
        outcome: 'left',
        notes: [{ verdict: 'no-effect', field: 'spec', text: 'nothing names it' }],
      };
    });
  const stores = objects.of('TLSStore').map((source): Converted => {
    const { defaultCertificate: _, ...rest } = source.spec;
    return {
      id: idOf(source),
      outcome: 'converted',
      notes: Object.keys(rest).map((field) => ({
        verdict: 'decision',
        field,
        text:
          field === 'certificates'
            ? 'name these Secrets in listeners of their hosts'
            : 'let cert-manager issue the default certificate',
      })),
    };
  });
  return [...named, ...stores];
}
