/**
 * Of Envoy resources that a control plane wants tried (`typeUrls.trial`): a response has clusters and listeners, which the agent has an Envoy look
 * at that serves nothing and ends with that. It acknowledges what that one takes, and rejects the response with its words otherwise.
 */

/** Node metadata of an agent that tries resources, `true`. */
export const trialsMetadata = 'gatewright_trials';

const mark = 'not tried: ';

/** What an agent says in place of Envoy where it cannot try, or what it had found would say nothing of the resource. */
export const untriedWords = (reason: string): string => `${mark}${reason}`;

/** The reason in such words; undefined: they are Envoy's. */
export const untriedReason = (message: string): string | undefined =>
  message.startsWith(mark) ? message.slice(mark.length) : undefined;
