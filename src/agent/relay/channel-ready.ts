import { type Client, connectivityState } from '@grpc/grpc-js';

/** True when the channel is connected, false when it is closed, or not connected in time. Looks only: `false` below. */
export function ready(client: Client, timeoutMs: number): Promise<boolean> {
  const channel = client.getChannel();
  const deadline = new Date(Date.now() + timeoutMs);
  return new Promise((resolve) => {
    const look = () => {
      const state = channel.getConnectivityState(false);
      if (state === connectivityState.READY) resolve(true);
      else if (state === connectivityState.SHUTDOWN) resolve(false);
      else channel.watchConnectivityState(state, deadline, (error) => (error ? resolve(false) : look()));
    };
    look();
  });
}
