import { once } from 'node:events';
import { createServer } from 'node:http';
import { podPort } from '../host/own-network.ts';

/** Takes requests on every address of this machine, and answers which one it was. */
export async function startStub(): Promise<Disposable> {
  const server = createServer(({ socket }, response) => response.end(socket.localAddress));
  server.listen(podPort, '0.0.0.0');
  await once(server, 'listening');
  return {
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
