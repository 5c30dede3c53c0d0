import { fileURLToPath } from 'node:url';
import { createLogger } from '../../src/telemetry/index.ts';
import type { Example } from '../example/example.ts';
import { startExample } from '../example/gateway.ts';
import { changeWeights } from './change.ts';
import { sendTraffic } from './traffic.ts';

/** The program over world.yaml, after some minutes of traffic. */
export interface World {
  /** Of the page. */
  readonly origin: string;
  /** The port of the HTTP listener of Gateway `infra/public`. */
  readonly httpPort: number;
  stop(): Promise<void>;
}

const example: Example = {
  allowedAddresses: ['127.0.0.1/32'],
  models: { openai: 'openai', anthropic: 'anthropic' },
  certificates: [
    { secret: 'example-com', namespace: 'infra', hostnames: ['shop.example.com', '*.example.com'], days: 9 },
  ],
  requests: [],
};

/** As world.yaml has it: the endpoint of Service shop/payments. */
const paymentsPort = 9006;

export async function startWorld(): Promise<World> {
  const running = await startExample({
    name: 'pictures',
    directory: fileURLToPath(new URL('.', import.meta.url)),
    example,
    logger: createLogger({ level: 'error', format: 'pretty' }),
    inPlace: false,
  });
  const portOf = (port: number): number => running.ports.get(port) ?? port;
  const origin = `http://127.0.0.1:${running.control.ports.layout1}`;
  await running.stopBackend(portOf(paymentsPort));
  await sendTraffic(portOf);
  await changeWeights(origin);
  return { origin, httpPort: portOf(8080), stop: () => running.stop() };
}
