import { type LimitGrants, type LimitTake, type LimitTakes, takesPath } from '../../contracts/index.ts';
import type { ControlClient } from '../relay/index.ts';

export interface TakeCallsOptions {
  readonly client: ControlClient;
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly cluster: string;
}

/** Requests do not wait as long: an answer that is late still grants what it says. */
const deadlineMs = 10_000;

/** Asks the control plane. Rejects when it does not answer, or not as it should. */
export async function callTakes(
  { client, nodeId, cluster }: TakeCallsOptions,
  takes: readonly LimitTake[],
): Promise<LimitGrants> {
  const metadata = await client.metadata();
  const message = Buffer.from(JSON.stringify({ nodeId, cluster, takes } satisfies LimitTakes));
  const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
    client.get().makeUnaryRequest(
      takesPath,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      message,
      metadata,
      { deadline: new Date(Date.now() + deadlineMs) },
      (error, value) => (error ? reject(error) : resolve(value)),
    );
  });
  const grants = JSON.parse(String(answer)) as LimitGrants;
  if (!Array.isArray(grants.grants) || grants.grants.length !== takes.length)
    throw new Error('not the grants that were asked for');
  return grants;
}
