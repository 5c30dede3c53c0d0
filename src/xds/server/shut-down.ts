import type { Server } from '@grpc/grpc-js';

const drainMs = 1_000;

/** Lets calls end in good order, for as long as that may take. */
export async function shutDown(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, drainMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
