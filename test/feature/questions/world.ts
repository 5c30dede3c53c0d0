import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createAuthority } from '../../../scripts/example/certificate.ts';
import { freePort } from '../../../scripts/free-port.ts';
import type { KindName } from '../../../src/gateway-api/index.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { type Standalone, startStandalone, untilCurrent } from '../../support/standalone.ts';
import { untilFits } from '../../support/until.ts';

const folder = join(import.meta.dirname, 'world');
const dayMs = 86_400_000;

/** The running program over the files of `world`, with a real Envoy that is current, and a proxy that acknowledges nothing. */
export async function startWorld(): Promise<{ readonly program: Standalone; readonly stop: () => Promise<void> }> {
  const ports = { HTTP: await freePort(), HTTPS: await freePort() };
  const program = await startStandalone();
  const written: Written[] = [];
  const put = (file: string, objects: readonly object[]) => {
    program.write(file, ...objects);
    if (file !== 'rejected.yaml') written.push(...(objects as Written[]));
  };
  put('certificates.yaml', await certificates());
  const services = await Promise.all(['cart', 'shop-v1', 'shop-v2'].map((name) => program.backend(name)));
  put('backends.yaml', services.flat());
  program.remove('gateway.yaml');
  const write = (file: string, change = (text: string) => text) =>
    put(
      file,
      objectsIn(
        change(readFileSync(join(folder, file), 'utf8')).replace(
          /\$(HTTPS?)/g,
          (_, name: keyof typeof ports) => `${ports[name]}`,
        ),
      ),
    );
  for (const file of readdirSync(folder)) write(file, (text) => text.replace('weight: 10', 'weight: 90'));
  // Each file is read at its own time, and one may be served before the next is read.
  await untilFits(
    'each file to be read',
    async () => ({
      missing: written.filter((object) => !isRead(program, object)).map(({ kind, metadata }) => [kind, metadata.name]),
      problems: JSON.stringify((await program.json(program.control.ports.layout1, '/v1/problems')).body),
    }),
    ({ missing, problems }) => missing.length === 0 && problems.includes('rejected.yaml'),
  );
  await untilCurrent(program);
  // Something changes after the start: the second version of the shop gets a tenth.
  write('routes.yaml');
  await untilFits(
    'the change to be read',
    () => JSON.stringify(program.control.graph.find('HTTPRoute', 'default/shop')?.spec),
    (spec) => spec.includes('"weight":10'),
  );
  await untilCurrent(program);
  const late = new DeltaClient({ target: program.control.ports.xds, nodeId: 'edge-late', cluster: 'default/edge' });
  late.subscribe('type.googleapis.com/envoy.config.listener.v3.Listener');
  await untilFits(
    'the late proxy',
    () => program.control.xds.nodes.list(),
    (nodes) => nodes.some(({ nodeId }) => nodeId === 'edge-late'),
  );
  return {
    program,
    async stop() {
      late.close();
      await program.stop();
    },
  };
}

interface Written {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

const isRead = ({ control: { graph } }: Standalone, { kind, metadata: { namespace, name } }: Written): boolean =>
  graph.find(kind as KindName, kind === 'GatewayClass' ? name : `${namespace ?? 'default'}/${name}`) !== undefined;

const objectsIn = (text: string): object[] => parseAllDocuments(text).map((document) => document.toJS());

/** One that is good for long, one that ended, and one that ends soon. */
async function certificates(): Promise<object[]> {
  const authority = await createAuthority('questions');
  const secret = async (name: string, host: string, days: number) => {
    const { certificatePem, keyPem } = await authority.issue({
      hostnames: [host],
      ends: new Date(Date.now() + days * dayMs),
    });
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
    };
  };
  return Promise.all([
    secret('shop-cert', 'shop.example.com', 200.5),
    secret('old-cert', 'old.example.com', -3.5),
    secret('soon-cert', 'soon.example.com', 9.5),
  ]);
}
