import { mergedFields } from '../kit/merge.ts';
import type { SourceObjects } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import { mostStandby } from '../kit/standby.ts';
import { Visit } from '../kit/table.ts';
import { type Fields, fieldsOf, isFields, listOf, numberOf, textAt, textOf } from '../kit/values.ts';
import { serversTransportTable, serviceTable } from './tables/service.ts';
import { type Share, weighted } from './weights.ts';

export interface RuleServices {
  readonly backendRefs: readonly Fields[];
  /** Filters: copies of requests. */
  readonly mirrors: readonly Fields[];
  readonly persistence: Fields | undefined;
}

/** How far services may lead to each other. */
const deepest = 8;

/** Of our group, among those that grants are for. */
const ownKinds: ReadonlySet<string> = new Set(['AccessPolicy', 'BackendPolicy', 'TrafficPolicy']);

/** Where a service is named. */
interface Place {
  /** The namespace of names that have none. */
  readonly from: string;
  /** That of the route. */
  readonly home: string;
  /** What refers to it. */
  readonly kind: string;
  readonly mirrors: Fields[];
  readonly persistence: Fields[];
  readonly depth: number;
}

/** Services of rules: backendRefs, and the policies of the Services that they name. */
export class Services {
  readonly #objects: SourceObjects;
  readonly #policies = new Map<
    string,
    { namespace: string; name: string; spec: Fields | undefined; tls: Fields | undefined }
  >();
  /** References to other namespaces: `FROM` to `NAMESPACE/NAME`. */
  readonly #grants = new Map<
    string,
    {
      readonly kind: string;
      readonly from: string;
      readonly namespace: string;
      readonly name: string;
      readonly to: string;
    }
  >();

  constructor(objects: SourceObjects) {
    this.#objects = objects;
  }

  /** The services of one route; `kind` is what refers to them. */
  ofRoute(services: unknown, home: string, kind: string, visit: Visit): RuleServices {
    const mirrors: Fields[] = [];
    const persistence: Fields[] = [];
    const shares: Share[] = [];
    visit.at('services').each(services ?? [], (service, at) => {
      shares.push(...this.#sharesOf(service, { from: home, home, kind, mirrors, persistence, depth: 0 }, at));
    });
    return { backendRefs: weighted(shares), mirrors, persistence: persistence[0] };
  }

  #sharesOf(service: Fields, place: Place, visit: Visit): readonly Share[] {
    const weight = service.weight === undefined ? 1 : numberOf(service.weight);
    const name = textOf(service.name);
    const namespace = textAt(service, 'namespace') ?? place.from;
    if (service.kind !== 'TraefikService') return this.#single(service, { name, namespace }, weight, place, visit);
    const found = this.#objects.find('TraefikService', namespace, name);
    if (found === undefined || place.depth >= deepest) {
      visit.miss(`there is no TraefikService ${namespace}/${name}`);
      return [];
    }
    const { weighted: many, mirroring, failover } = found.spec;
    const below = { ...place, from: namespace, depth: place.depth + 1 };
    const next = (item: unknown): readonly Share[] => this.#sharesOf(fieldsOf(item), below, visit);
    const part = (shares: readonly Share[]): readonly Share[] =>
      shares.map(({ ref, part: [n, d] }) => ({ ref, part: [n * weight, d] }));
    if (isFields(many)) {
      if (many.sticky !== undefined) visit.at('weighted.sticky').miss('sessions are of one backend');
      const all = listOf(many.services ?? []).map(next);
      const total = all.flat().reduce((sum, { part: [n, d] }) => sum + n / d, 0);
      return part(all.flat().map(({ ref, part: [n, d] }) => ({ ref, part: [n, d * Math.max(1, Math.round(total))] })));
    }
    if (isFields(mirroring)) {
      for (const mirror of listOf(mirroring.mirrors ?? []).map(fieldsOf)) {
        const [first] = next({ ...mirror, weight: 1 });
        const percent = mirror.percent === undefined ? 0 : numberOf(mirror.percent);
        if (first !== undefined && percent > 0)
          place.mirrors.push({
            type: 'RequestMirror',
            requestMirror: { backendRef: first.ref, ...(percent < 100 && { percent }) },
          });
      }
      const { mirrors: _, mirrorBody, maxBodySize, healthCheck: __, ...main } = mirroring;
      return part(next({ ...main, weight: 1 }));
    }
    if (isFields(failover)) return part(this.#failover(failover, next, place, visit));
    visit.miss(`TraefikService ${namespace}/${name} is of a kind that is not known here`);
    return [];
  }

  /** The first choice, whose BackendPolicy has the others. */
  #failover(
    { service, fallback, errors, healthCheck: _, ...others }: Fields,
    next: (item: unknown) => readonly Share[],
    { home }: Place,
    visit: Visit,
  ): readonly Share[] {
    const at = visit.at('failover');
    for (const field of Object.keys(others)) at.at(field).miss('is not converted');
    if (errors !== undefined)
      at.at('errors').miss('answers of a backend move no requests: see retry of a TrafficPolicy');
    const main = next({ ...fieldsOf(service), weight: 1 });
    const standby = fallback === undefined ? [] : next({ ...fieldsOf(fallback), weight: 1 });
    const [first] = main;
    if (first === undefined || standby.length === 0) return main;
    if (main.length > 1) {
      at.miss('several backends share the requests, and failover is of one: only they are used');
      return main;
    }
    if (standby.length > 1) at.note('differs', 'the Services of the fallback are tried one after the other');
    if (standby.length > mostStandby) at.miss(`a policy has ${mostStandby} of them: the first are kept`);
    const { name, namespace = home } = first.ref as { readonly name: string; readonly namespace?: string };
    const backendRefs = standby.slice(0, mostStandby).map(({ ref }) => {
      const { name: other, namespace: its = home, port } = ref as Readonly<Record<string, string>>;
      this.addGrant('BackendPolicy', namespace, 'Service', its, String(other));
      return { name: other, ...(its !== namespace && { namespace: its }), port };
    });
    at.note(
      'differs',
      `requests move while too few endpoints of Service ${namespace}/${name} are ready or healthy, also those of other rules`,
    );
    this.#addFailover(namespace, name, { backendRefs }, at);
    return main;
  }

  #single(
    service: Fields,
    { name, namespace }: { readonly name: string; readonly namespace: string },
    weight: number,
    { home, kind, persistence }: Place,
    visit: Visit,
  ): readonly Share[] {
    const own = new Visit(false);
    own.walk(service, serviceTable);
    for (const note of own.notes) visit.notes.push({ ...note, field: `${visit.path}.${note.field}` });
    const kept = own.draft.of('Persistence');
    if (kept !== undefined) persistence.push(kept);
    const ref = this.refOf(service, namespace, home, kind, visit);
    this.#addPolicy(service, namespace, name, own.draft.of('BackendPolicy'), visit);
    return [{ ref, part: [weight, 1] }];
  }

  /** A reference from a kind of the namespace `home`, with the grant that it needs. */
  refOf(service: Fields, namespace: string, home: string, kind: string, visit: Visit): Fields {
    const name = textOf(service.name);
    const port = this.#portOf(service.port, namespace, name);
    if (port === undefined)
      visit.at('port').miss(`the number of port ${String(service.port)} of Service ${namespace}/${name} is not known`);
    this.addGrant(kind, home, 'Service', namespace, name);
    return { name, ...(namespace !== home && { namespace }), port: port ?? 80 };
  }

  #portOf(port: unknown, namespace: string, name: string): number | undefined {
    if (typeof port === 'number') return port;
    const service = this.#objects.find('Service', namespace, name);
    const ports = Array.isArray(service?.spec.ports) ? service.spec.ports.filter(isFields) : [];
    const found = port === undefined && ports.length === 1 ? ports[0] : ports.find((each) => each.name === port);
    return typeof found?.port === 'number' ? found.port : /^\d+$/.test(String(port)) ? Number(port) : undefined;
  }

  /** What is said of the connections to a Service. The first that says it counts. */
  #addPolicy(service: Fields, namespace: string, name: string, own: Fields | undefined, visit: Visit): void {
    const key = `${namespace}/${name}`;
    const { spec: transport, tls } = this.#transportOf(service, namespace, name, visit);
    const spec = mergedFields(transport, own);
    if (spec === undefined && tls === undefined) return;
    const known = this.#policies.get(key);
    if (known === undefined) this.#policies.set(key, { namespace, name, spec, tls });
    else if (JSON.stringify([withoutFailover(known.spec), known.tls]) !== JSON.stringify([spec ?? {}, tls]))
      visit.note(
        'decision',
        `rules want different things of Service ${key}, which has one BackendPolicy: the first is taken`,
      );
  }

  /** The Services that get the requests of another one. The first that says it counts. */
  #addFailover(namespace: string, name: string, failover: Fields, visit: Visit): void {
    const key = `${namespace}/${name}`;
    const known = this.#policies.get(key) ?? { namespace, name, spec: undefined, tls: undefined };
    const before = known.spec?.failover;
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(failover))
      visit.note('decision', `Service ${key} has one failover, and rules want different ones: the first is taken`);
    this.#policies.set(key, { ...known, spec: { ...known.spec, failover: before ?? failover } });
  }

  #transportOf(
    service: Fields,
    namespace: string,
    name: string,
    visit: Visit,
  ): { readonly spec?: Fields; readonly tls?: Fields } {
    const transport = textAt(service, 'serversTransport');
    const at = visit.at('serversTransport');
    const draft = new Visit(false);
    if (transport !== undefined) {
      const found = this.#objects.find('ServersTransport', namespace, transport.replace(/@kubernetescrd$/, ''));
      if (found === undefined) at.miss(`there is no ServersTransport ${namespace}/${transport}`);
      else draft.walk(found.spec, serversTransportTable);
      for (const note of draft.notes) visit.notes.push({ ...note, field: `${at.path}.${note.field}` });
    }
    const spec = draft.draft.of('BackendPolicy');
    if (service.scheme === 'h2c')
      visit
        .at('scheme')
        .note('decision', `set appProtocol: kubernetes.io/h2c at the port of Service ${namespace}/${name}`);
    if (service.scheme !== 'https') return { spec };
    const { hostname = `${name}.${namespace}.svc`, caCertificateRefs, subjectAltNames } = draft.draft.of('Tls') ?? {};
    const authorities = caCertificateRefs === undefined ? { wellKnownCACertificates: 'System' } : { caCertificateRefs };
    if (transport === undefined)
      visit
        .at('scheme')
        .note(
          'decision',
          `say in the BackendTLSPolicy of Service ${namespace}/${name} which name its certificate has, and who signed it`,
        );
    return { spec, tls: { hostname, ...(subjectAltNames !== undefined && { subjectAltNames }), ...authorities } };
  }

  write(output: Output): void {
    const sorted = [...this.#policies].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { namespace, name, spec, tls }] of sorted) {
      const targetRefs = [{ group: '', kind: 'Service', name }];
      const file = `${namespace}/_services.yaml`;
      if (spec !== undefined)
        output.add(
          file,
          objectOf('gatewright.dev/v1alpha1', 'BackendPolicy', namespace, name, { targetRefs, ...spec }),
        );
      if (tls !== undefined)
        output.add(
          file,
          objectOf('gateway.networking.k8s.io/v1', 'BackendTLSPolicy', namespace, name, {
            targetRefs,
            validation: tls,
          }),
        );
    }
    for (const [, { kind, from, namespace, name, to }] of [...this.#grants].sort(([a], [b]) => (a < b ? -1 : 1)))
      output.add(
        `${namespace}/_grants.yaml`,
        objectOf(
          'gateway.networking.k8s.io/v1beta1',
          'ReferenceGrant',
          namespace,
          `${name}-for-${kind.toLowerCase()}-of-${from}`,
          {
            from: [
              {
                group: ownKinds.has(kind) ? 'gatewright.dev' : 'gateway.networking.k8s.io',
                kind,
                namespace: from,
              },
            ],
            to: [{ group: '', kind: to, name }],
          },
        ),
      );
  }

  /** An object of another namespace that a policy refers to. */
  addGrant(kind: string, from: string, to: 'Service' | 'Secret', namespace: string, name: string): void {
    if (from !== namespace)
      this.#grants.set(`${kind}/${from}/${to}/${namespace}/${name}`, { kind, from, namespace, name, to });
  }
}

const withoutFailover = ({ failover: _, ...spec }: Fields = {}): Fields => spec;
