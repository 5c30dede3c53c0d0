/** The Layout 1 API of the control plane, as the page asks it. */
export { ApiError, apiUrl, ask, asksToken, forgetAnswers, get, silentMs, silentSince } from './client.ts';
export { followEvents, isFollowing, onEvent } from './events.ts';
export type * from './gen/types.ts';
export { isSeen } from './seen.ts';
export { forgetToken, giveToken, token } from './token.ts';
