import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments, stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { IngressNginxModel } from '../../src/ingress/index.ts';
import { runCommand } from '../support/command.ts';
import { controller, worldOf } from '../support/ingress-world.ts';
import { objectsOf, plainRows, startServices } from '../support/migration/company.ts';
import { company } from '../support/migration/teams.ts';
import { moveTraffic } from '../support/migration/traffic.ts';
import { startNginx } from '../support/nginx.ts';
import { serversText } from '../support/nginx-of-model.ts';
import { runProgram } from '../support/program.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// The whole move of a company: inventory, conversion, both compared, and clients that go from one to the other meanwhile.

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

const inCluster: ReadonlySet<string> = new Set(['Service', 'EndpointSlice', 'Secret', 'ConfigMap']);

/** The company's objects in a file, those that a plain nginx can answer in another, and where its conversion goes. */
async function startCompany(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-company-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const services = await startServices(t, company);
  const write = (file: string, objects: readonly object[]): string => {
    const path = join(folder, file);
    writeFileSync(path, objects.map((object) => stringify(object)).join('---\n'));
    return path;
  };
  const plain = plainRows(company);
  const objects = [...controller(), ...objectsOf(company, services)];
  return {
    services,
    objects,
    input: write('cluster.yaml', objects),
    plainInput: write('plain.yaml', [...controller(), ...objectsOf(plain, services)]),
    plainHosts: [...new Set(plain.flatMap(({ hosts }) => hosts))],
    out: join(folder, 'converted'),
  };
}

/** The objects of all files of a conversion. */
const objectsBelow = (folder: string): readonly object[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as object);

interface Report {
  readonly asked: number;
  readonly different: readonly {
    readonly unexplained: boolean;
    readonly request: object;
    readonly differences: object;
  }[];
}

/** What of a comparison is unexplained. */
function unexplainedOf(text: string): readonly object[] {
  const { different } = JSON.parse(text) as Report;
  return different
    .filter(({ unexplained }) => unexplained)
    .map(({ request, differences }) => ({ request, differences }));
}

test.serial('sixty Ingresses are converted, answer as before, and are moved without a failed request', async (t) => {
  t.timeout(900_000);
  const { services, objects, input, plainInput, plainHosts, out } = await startCompany(t);
  const inventory = await runCommand(['migrate', 'inventory', '-f', input, '-o', 'json']);
  const { counts } = JSON.parse(inventory.stdout) as { readonly counts: { readonly ingresses: number } };
  t.is(counts.ingresses, 60, inventory.stderr);

  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const ports = ['--http-port', String(httpPort), '--https-port', String(httpsPort)];
  const gatewayArgs = ['--gateway', 'infra/edge', '--out', out];
  const converted = await runProgram(['migrate', 'convert', '-f', input, ...gatewayArgs, ...ports]);
  t.regex(converted.stdout, /^59 Ingresses converted/, converted.stderr);
  t.regex(
    converted.stderr,
    /^gatewright: old\/double is left out, since others answer all of its paths \(see report.md\)\n$/,
  );

  const model = new IngressNginxModel(worldOf(...objects));
  const config = serversText(model, plainHosts, ({ upstream }) =>
    services.portOf(model.servers.upstreams.get(upstream)),
  );
  const old = await startNginx(t, config, services.certificate);
  const gateway = await startStandalone({
    'gateway.yaml': [gatewayClass, ...objectsBelow(out)],
    'cluster.yaml': objects.filter((object) => inCluster.has((object as { readonly kind: string }).kind)),
  });
  t.teardown(gateway.stop);
  // All of a company's hosts at once: on a busy machine that takes its proxy longer than one route.
  await until('the converted files to be served', () => isCurrent(gateway), 400_000);

  const addresses = ['--from', `127.0.0.1:${old.port}:${old.tlsPort}`, '--to', `127.0.0.1:${httpPort}:${httpsPort}`];
  const limits = ['--rate', '1000', '--timeout', '60', '-o', 'json'];
  const live = await runCommand(['migrate', 'compare', '-f', plainInput, ...addresses, ...limits]);
  t.deepEqual(unexplainedOf(live.stdout), [], live.stderr);

  const sides = {
    from: { http: old.port, https: old.tlsPort },
    to: { http: httpPort, https: httpsPort },
  };
  const moved = await moveTraffic({ hosts: plainHosts, model, ...sides, endOld: old.stop });
  t.deepEqual(moved.failed, []);
  t.is(moved.byShare.get(0)?.to, 0);
  t.is(moved.byShare.get(100)?.from, 0);
});

test.serial('without any traffic, a model says that the sixty answer as before', async (t) => {
  t.timeout(300_000);
  const { input, out } = await startCompany(t);
  const { stderr } = await runCommand(['migrate', 'convert', '-f', input, '--gateway', 'infra/edge', '--out', out]);
  t.regex(stderr, /old\/double is left out/);
  const offline = await runCommand(['migrate', 'compare', '--offline', '-f', input, '--converted', out, '-o', 'json']);
  t.deepEqual(unexplainedOf(offline.stdout), [], offline.stderr);
});
