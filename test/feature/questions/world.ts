import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createAuthority } from '../../../scripts/example/certificate.ts';
import { freePort } from '../../../scripts/free-port.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { type Standalone, startStandalone } from '../../support/standalone.ts';
import { untilFits } from '../../support/until.ts';

const folder = join(import.meta.dirname, 'world');
const dayMs = 86_400_000;

/** The running program over the files of `world`, with a real Envoy that is current, and a proxy that acknowledges nothing. */
export async function startWorld(): Promise<{ readonly program: Standalone; readonly stop: () => Promise<void> }> {
  const ports = { HTTP: await freePort(), HTTPS: await freePort() };
  const program = await startStandalone();
  program.write('certificates.yaml', ...(await certificates()));
  const services = await Promise.all(['cart', 'shop-v1', 'shop-v2'].map((name) => program.backend(name)));
  program.write('backends.yaml', ...services.flat());
  program.remove('gateway.yaml');
  const write = (file: string, change = (text: string) => text) =>
    program.write(
      file,
      ...objectsIn(
        change(readFileSync(join(folder, file), 'utf8')).replace(
          /\$(HTTPS?)/g,
          (_, name: keyof typeof ports) => `${ports[name]}`,
        ),
      ),
    );
  for (const file of readdirSync(folder)) write(file, (text) => text.replace('weight: 10', 'weight: 90'));
  await untilFits(
    'the world to be served',
    async () => ({
      nodes: program.control.xds.nodes.list(),
      problems: JSON.stringify((await program.json(program.control.ports.layout1, '/v1/problems')).body),
    }),
    ({ nodes, problems }) =>
      nodes.some(({ ready, lastAckVersion }) => ready && lastAckVersion === program.control.graph.snapshot()?.id) &&
      problems.includes('rejected.yaml'),
  );
  // Something changes after the start: the second version of the shop gets a tenth.
  const before = program.control.graph.snapshot()?.id;
  write('routes.yaml');
  await untilFits(
    'the change to be served',
    () => program.control.xds.nodes.list(),
    (nodes) => {
      const id = program.control.graph.snapshot()?.id;
      return id !== before && nodes.some(({ ready, lastAckVersion }) => ready && lastAckVersion === id);
    },
  );
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
