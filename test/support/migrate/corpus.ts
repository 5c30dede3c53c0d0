import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { freePort } from '../../../scripts/free-port.ts';
import { type KubernetesObject, keyOf } from '../../../src/gateway-api/index.ts';
import {
  type AskedRequest,
  askModel,
  defaultLimits,
  generateRequests,
  IngressNginxModel,
  isUnexplained,
  requestFacts,
  runComparison,
  type SeenAnswer,
} from '../../../src/ingress/index.ts';
import { testCertificates } from '../certificates.ts';
import { runCommand } from '../command.ts';
import type { Endings } from '../endings.ts';
import { controller, worldOf } from '../ingress-world.ts';
import { startStandalone, untilCurrent } from '../standalone.ts';
import { until } from '../until.ts';
import { Echoes } from './echoes.ts';
import { EnvoyClient } from './envoy-client.ts';

/** The objects of a cluster with an ingress-nginx: Ingresses and Services, and whatever else they name. */
export interface Cluster {
  readonly objects: readonly KubernetesObject[];
  /** Of the controller's ConfigMap. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Keys of Services of which no endpoint is ready. */
  readonly silent?: ReadonlySet<string>;
}

/** A request that both sides answer in different ways, and nothing says why. */
export interface Unexplained {
  readonly request: string;
  readonly because: string;
  readonly differences: readonly string[];
  /** What decides in ingress-nginx. */
  readonly rule: string;
}

export interface Outcome {
  readonly asked: number;
  readonly same: number;
  readonly unexplained: readonly Unexplained[];
  /** Codes of explanations that were needed. */
  readonly codes: ReadonlySet<string>;
  /** Text of `report.md`. */
  readonly report: string;
}

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

/** The running program with a real Envoy, which serves what one cluster after the other is converted to. */
export class Corpus {
  readonly #run: Awaited<ReturnType<typeof startStandalone>>;
  readonly #echoes: Echoes;
  readonly #folder: string;
  readonly #httpPort: number;
  readonly #httpsPort: number;
  #count = 0;
  #model: IngressNginxModel | undefined;

  private constructor(
    run: Awaited<ReturnType<typeof startStandalone>>,
    echoes: Echoes,
    folder: string,
    ports: readonly [http: number, https: number],
  ) {
    this.#run = run;
    this.#echoes = echoes;
    this.#folder = folder;
    [this.#httpPort, this.#httpsPort] = ports;
  }

  static async start(t: Endings): Promise<Corpus> {
    const folder = mkdtempSync(join(tmpdir(), 'gatewright-corpus-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const ports = [await freePort(), await freePort()] as const;
    const run = await startStandalone({ 'gateway.yaml': [gatewayClass] });
    t.teardown(run.stop);
    return new Corpus(run, new Echoes(t), folder, ports);
  }

  /** Converts a cluster, serves the result, and asks Envoy and the model of ingress-nginx what `migrate compare` would ask. */
  async compare(cluster: Cluster): Promise<Outcome> {
    const objects = await this.#objectsOf(cluster);
    const { files, report } = await this.#convert(objects);
    await this.#serve([...objects.filter(({ kind }) => servedKinds.has(kind)), ...files]);
    return await this.#ask(worldOf(...objects), report);
  }

  /** With endpoints that answer, certificates, and a controller. */
  async #objectsOf({ objects, settings, flags, silent }: Cluster): Promise<readonly KubernetesObject[]> {
    const services = objects.filter(({ kind }) => kind === 'Service');
    const slices = await Promise.all(
      services.map((service) => this.#echoes.sliceOf(service, silent?.has(keyOf(service)) ?? false)),
    );
    const known = new Set(objects.map((object) => `${object.kind} ${keyOf(object)}`));
    const secrets = objects.flatMap(certificatesOf).filter((object) => !known.has(`Secret ${keyOf(object)}`));
    return [...(controller(settings, flags) as KubernetesObject[]), ...objects, ...slices, ...secrets];
  }

  async #convert(objects: readonly KubernetesObject[]) {
    this.#count += 1;
    const folder = join(this.#folder, String(this.#count));
    mkdirSync(folder);
    const [from, out] = [join(folder, 'all.yaml'), join(folder, 'out')];
    writeFileSync(from, objects.map((object) => stringify(object)).join('---\n'));
    const ports = ['--http-port', String(this.#httpPort), '--https-port', String(this.#httpsPort)];
    const args = ['migrate', 'convert', '-f', from, '--gateway', 'infra/edge', '--out', out, ...ports];
    const { code, stderr } = await runCommand(args);
    if (code === 2) throw new Error(`convert: ${stderr}`);
    const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
    const files = paths.flatMap((path) =>
      parseAllDocuments(readFileSync(join(out, path), 'utf8')).map((document) => document.toJS() as KubernetesObject),
    );
    return { files, report: readFileSync(join(out, 'report.md'), 'utf8') };
  }

  /** All of it is in one file, and is read when each object has the number of its cluster. */
  async #serve(all: readonly KubernetesObject[]): Promise<void> {
    const mark = String(this.#count);
    const objects = [...new Map(all.map((object) => [`${object.kind} ${keyOf(object)}`, object])).values()];
    this.#run.write('cluster.yaml', ...objects.map((object) => marked(object, mark)));
    const { graph } = this.#run.control;
    // Of Services and their endpoints only those of the first cluster are new.
    const made = objects.filter(({ kind }) => !servedKinds.has(kind));
    const isRead = () =>
      made.every(
        (object) => graph.find(object.kind as 'Gateway', keyOf(object))?.metadata.annotations?.[markName] === mark,
      ) && graph.count('HTTPRoute') === made.filter(({ kind }) => kind === 'HTTPRoute').length;
    await until(`cluster ${mark} to be read, and the one before to be gone`, isRead);
    await untilCurrent(this.#run);
  }

  /** The Services that answer one more request to the last cluster, by the model and in truth. */
  async askBoth(
    host: string,
    target: string,
    headers: AskedRequest['headers'] = [],
  ): Promise<readonly [expected: string, seen: string]> {
    const request: AskedRequest = { method: 'GET', scheme: 'http', host, target, headers, because: '' };
    const client = new EnvoyClient(this.#httpPort, this.#httpsPort);
    const { backends } = await client.ask(request);
    client.close();
    if (this.#model === undefined) throw new Error('no cluster is served yet');
    return [askModel(this.#model, request), { backends }].map((each) => Object.keys(each.backends ?? {}).join()) as [
      string,
      string,
    ];
  }

  async #ask(world: ReturnType<typeof worldOf>, report: string): Promise<Outcome> {
    const model = new IngressNginxModel(world);
    this.#model = model;
    const client = new EnvoyClient(this.#httpPort, this.#httpsPort);
    const answers = new WeakMap<AskedRequest, Promise<SeenAnswer>>();
    const askOnce = (request: AskedRequest) => {
      const answer = answers.get(request) ?? client.ask(request);
      answers.set(request, answer);
      return answer;
    };
    const modelled = (request: AskedRequest) => ({ ...request, from: '127.0.0.1' });
    const result = await runComparison(
      generateRequests(world),
      {
        from: async (request) => narrowed(askModel(model, modelled(request)), await askOnce(request)),
        to: askOnce,
        factsOf: (request) => requestFacts(model, request),
      },
      { ...defaultLimits, rate: undefined, together: 8, methods: 'all', ofOneKind: Number.POSITIVE_INFINITY },
    );
    client.close();
    const closed = closedIn(report);
    const left = saidOf(report, '; they are left out here');
    const alone = saidOf(report, '**needs a decision** default-backend');
    const isReported = (ingress: string, status: number | undefined) =>
      left.has(ingress) ||
      (status === 503 && closed.has(ingress)) ||
      ([500, 503].includes(status ?? 0) && alone.has(ingress));
    const unexplained = result.different.filter(isUnexplained).flatMap(({ request, differences, to }) => {
      const { rule, ingress = '' } = model.answer(modelled(request));
      if (isReported(ingress, to.status)) return [];
      return {
        request: `${request.method} ${request.scheme}://${request.host}${request.target} ${JSON.stringify(request.headers)}`,
        because: request.because,
        differences: differences.map((each) => `${each.what}: ${each.from || 'none'} → ${each.to || 'none'}`),
        rule: `${rule} ${ingress}`,
      };
    });
    // A listener that is closed, or an Envoy that ended, says why in the log.
    const isUnanswered = unexplained.some(({ differences }) => differences.some((each) => each.includes('no answer')));
    if (isUnanswered) this.#run.log.slice(-40).forEach((line) => void console.error(JSON.stringify(line)));
    const codes = result.different.flatMap(({ differences }) => differences.flatMap(({ code }) => code ?? []));
    return { asked: result.asked, same: result.same, unexplained, codes: new Set(codes), report };
  }
}

const servedKinds: ReadonlySet<string> = new Set(['Service', 'EndpointSlice', 'Secret', 'ConfigMap']);

const markName = 'corpus.test/cluster';

const marked = (object: KubernetesObject, mark: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [markName]: mark } },
});

/** Certificates that Ingresses name. */
function certificatesOf({ kind, metadata: { namespace }, spec }: KubernetesObject): readonly KubernetesObject[] {
  if (kind !== 'Ingress') return [];
  const { tls = [] } = spec as { readonly tls?: readonly { readonly secretName?: string }[] };
  const [{ certificate, key }] = testCertificates;
  return tls.flatMap(({ secretName: name }) =>
    name === undefined
      ? []
      : ({
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'kubernetes.io/tls',
          metadata: { name, namespace },
          stringData: { 'tls.crt': certificate, 'tls.key': key },
        } as KubernetesObject),
  );
}

/** Ingresses in whose part of the report these words are. */
const saidOf = (report: string, words: string): ReadonlySet<string> =>
  new Set(
    report
      .split('\n### ')
      .filter((section) => section.includes(words))
      .map((section) => section.slice(0, section.indexOf(':'))),
  );

/** Ingresses whose paths answer 503, as the report says. */
function closedIn(report: string): ReadonlySet<string> {
  const whole = /## Closed[^\n]*\n\n(?<lines>(?:- .*\n)*)/.exec(report)?.groups?.lines ?? '';
  return new Set([...whole.matchAll(/^- (?<key>[^:]+):/gm)].map(({ groups }) => groups?.key ?? ''));
}

/** What the model leaves open is what the other side does: a share of requests, and answers that only nginx can say. */
function narrowed(said: SeenAnswer, seen: SeenAnswer): SeenAnswer {
  const isUnknown = said.status === undefined && said.backends === undefined;
  if (isUnknown && said.open.length > 0) return seen;
  const [chosen = ''] = Object.keys(seen.backends ?? {});
  return said.backends !== undefined && Object.keys(said.backends).includes(chosen)
    ? { ...said, backends: { [chosen]: 1 } }
    : said;
}
