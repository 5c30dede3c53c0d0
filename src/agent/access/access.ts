import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { impatient } from './impatient.ts';

/** How the agent reaches the control plane: what it believes of it, and what it shows of itself. */
export interface Access {
  readonly credentials: ChannelCredentials;
  /** For the channel, beside those that it always has. */
  readonly channelOptions: Readonly<Record<string, string>>;
  /**
   * What goes with the next stream. Called before each one: files are read again by it. Rejects with an AccessError when
   * there can be no stream.
   */
  metadata(): Promise<Metadata>;
}

/** A file that the agent has to show, or check the control plane by, cannot be used; the message names it. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code = 'xds_access';
}

/** Plain text, and no word of who the agent is. */
export const plainAccess = (): Access => ({
  credentials: impatient(credentials.createInsecure()),
  channelOptions: {},
  metadata: async () => new Metadata(),
});
