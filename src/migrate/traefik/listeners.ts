import type { SourceObjects } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Note } from '../kit/table.ts';
import { type Fields, isFields } from '../kit/values.ts';
import type { TraefikOptions } from './options.ts';

const gatewayGroup = 'gateway.networking.k8s.io';
const all = { namespaces: { from: 'All' } };

interface Certified {
  readonly host: string;
  readonly namespace: string;
  readonly secret: string;
  /** Key of its TLSOption. */
  readonly options: string | undefined;
}

/** Listeners: those of the Gateway, and of a ListenerSet in each namespace that has certificates. */
export class Listeners {
  readonly #options: TraefikOptions;
  readonly #hosts = new Map<string, Certified>();
  /** Of the Gateway, by name. */
  readonly #own = new Map<string, Fields>();
  #needsDefault = false;
  /** Keys of the TLSOptions of the Gateway’s HTTPS listener. */
  readonly #defaultOptions = new Set<string>();
  /** Secret of the default certificate. */
  readonly #default: { readonly namespace: string; readonly name: string } | undefined;

  constructor(objects: SourceObjects, options: TraefikOptions) {
    this.#options = options;
    const store = objects.of('TLSStore').find(({ spec }) => isFields(spec.defaultCertificate));
    const name = (store?.spec.defaultCertificate as Fields | undefined)?.secretName;
    this.#default = store !== undefined && typeof name === 'string' ? { namespace: store.namespace, name } : undefined;
  }

  /** The port of an entry point; undefined if it is not known. */
  portOf(entryPoint: string): number | undefined {
    const { entryPoints, httpPort, httpsPort } = this.#options;
    return { web: httpPort, websecure: httpsPort, ...entryPoints }[entryPoint];
  }

  /** Parents of routes by HTTP, at the entry points that are known. */
  plain(entryPoints: readonly string[], notes: Note[]): readonly Fields[] {
    const names = entryPoints.filter((name) => name !== 'websecure');
    if (names.length === 0 || names.includes('web')) return [this.#ofGateway('http')];
    return names.flatMap((name) => {
      const port = this.portOf(name);
      if (port === undefined) {
        notes.push({
          verdict: 'decision',
          field: 'entryPoints',
          text: `the port of ${name} is not known: say --entry-point ${name}=PORT`,
        });
        return [];
      }
      this.#own.set(name, { name, port, protocol: 'HTTP', allowedRoutes: all });
      return [this.#ofGateway(name)];
    });
  }

  /** Parents of routes by HTTPS: a listener for each host with a certificate, else the one of the Gateway. */
  secure(
    hosts: readonly string[],
    home: string,
    tls: Fields,
    option: string | undefined,
    notes: Note[],
  ): readonly Fields[] {
    const { secretName, certResolver } = tls;
    const secret = typeof secretName === 'string' ? secretName : undefined;
    if (hosts.length === 0 || (secret === undefined && certResolver === undefined)) {
      this.#needsDefault = true;
      if (option !== undefined) this.#defaultOptions.add(option);
      if (this.#default === undefined)
        notes.push({
          verdict: 'decision',
          field: 'tls',
          text: `put a certificate into the Secret default-certificate of ${this.#options.gateway.namespace}, or name one`,
        });
      return [this.#ofGateway('https')];
    }
    return hosts.map((host) => {
      const name = secret ?? `${host.replace('*', 'wildcard')}-tls`;
      if (secret === undefined)
        notes.push({
          verdict: 'decision',
          field: 'tls.certResolver',
          text: `Traefik has the certificate of ${host}: let cert-manager issue it into the Secret ${name}`,
        });
      const known = this.#hosts.get(host);
      if (known === undefined) this.#hosts.set(host, { host, namespace: home, secret: name, options: option });
      else if (known.namespace !== home || known.secret !== name)
        notes.push({
          verdict: 'decision',
          field: 'tls.secretName',
          text: `${host} has the certificate of ${known.namespace}/${known.secret} already`,
        });
      return this.#ofSet(known?.namespace ?? home, host);
    });
  }

  /** A listener of the Gateway for connections; its port is that of an entry point. */
  stream(name: string, port: number, protocol: 'TCP' | 'UDP' | 'TLS', tls?: Fields, hostname?: string): Fields {
    this.#own.set(name, {
      name,
      port,
      protocol,
      ...(hostname !== undefined && hostname !== '*' && { hostname }),
      ...(tls !== undefined && { tls }),
      allowedRoutes: all,
    });
    return this.#ofGateway(name);
  }

  /** The listeners that have a TLSOption, by its key; each in its namespace. */
  withOption(key: string): readonly { readonly namespace: string; readonly section: Fields }[] {
    const { namespace, name } = this.#options.gateway;
    const own = { group: gatewayGroup, kind: 'Gateway', name, sectionName: 'https' };
    return [
      ...[...this.#hosts.values()]
        .filter(({ options }) => options === key)
        .map(({ namespace: home, host }) => ({
          namespace: home,
          section: { group: gatewayGroup, kind: 'ListenerSet', name: this.#setName(), sectionName: sectionOf(host) },
        })),
      ...(this.#defaultOptions.has(key) ? [{ namespace, section: own }] : []),
    ];
  }

  #setName = (): string => this.#options.gateway.name;

  #ofGateway(sectionName: string): Fields {
    const { namespace, name } = this.#options.gateway;
    return { name, namespace, sectionName };
  }

  #ofSet = (namespace: string, host: string): Fields => ({
    group: gatewayGroup,
    kind: 'ListenerSet',
    name: this.#setName(),
    namespace,
    sectionName: sectionOf(host),
  });

  write(output: Output): void {
    const { gateway, gatewayClass, httpPort, httpsPort } = this.#options;
    const { namespace = gateway.namespace, name = 'default-certificate' } = this.#default ?? {};
    const isElsewhere = namespace !== gateway.namespace;
    const https = {
      name: 'https',
      port: httpsPort,
      protocol: 'HTTPS',
      tls: { certificateRefs: [{ name, ...(isElsewhere && { namespace }) }] },
      allowedRoutes: all,
    };
    output.add(
      'gateway.yaml',
      objectOf('gateway.networking.k8s.io/v1', 'Gateway', gateway.namespace, gateway.name, {
        gatewayClassName: gatewayClass,
        allowedListeners: all,
        listeners: [
          { name: 'http', port: httpPort, protocol: 'HTTP', allowedRoutes: all },
          ...(this.#needsDefault || this.#default !== undefined ? [https] : []),
          ...this.#own.values(),
        ],
      }),
    );
    if (isElsewhere)
      output.add(
        'gateway.yaml',
        objectOf('gateway.networking.k8s.io/v1beta1', 'ReferenceGrant', namespace, `${name}-for-${gateway.name}`, {
          from: [{ group: gatewayGroup, kind: 'Gateway', namespace: gateway.namespace }],
          to: [{ group: '', kind: 'Secret', name }],
        }),
      );
    const sorted = [...this.#hosts.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
    for (const [home, hosts] of Map.groupBy(sorted, (host) => host.namespace))
      output.add(
        `${home}/_listeners.yaml`,
        objectOf('gateway.networking.k8s.io/v1', 'ListenerSet', home, this.#setName(), {
          parentRef: { name: gateway.name, namespace: gateway.namespace },
          listeners: hosts.map(({ host, secret }) => ({
            name: sectionOf(host),
            hostname: host,
            port: httpsPort,
            protocol: 'HTTPS',
            tls: { certificateRefs: [{ name: secret }] },
            allowedRoutes: all,
          })),
        }),
      );
  }
}

/** Names of listeners are labels with dots; one wildcard may be in front of a host. */
const sectionOf = (host: string): string => host.replace(/^\*/, 'wildcard');
