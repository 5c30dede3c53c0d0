import type { Access, AccessPart } from './access.ts';

/** Parts that may ask a server about a request: of passwords, the agent. */
export type AskingPart = Extract<AccessPart, 'any' | 'basicAuth' | 'forwardAuth'>;

const asks: { readonly [P in AskingPart]: (access: Access) => boolean } = {
  any: ({ any }) => any?.basicAuth?.hashed === true,
  basicAuth: ({ basicAuth }) => basicAuth?.hashed === true,
  forwardAuth: ({ forwardAuth }) => forwardAuth !== undefined,
};

const isAsking = (part: AccessPart): part is AskingPart => part in asks;

/** Whether the part of a level asks a server. */
export const asksServer = (part: AccessPart, access: Access): boolean =>
  isAsking(part) && !access.closed?.includes(part) && asks[part](access);

/** Parts for which a request may wait: for one of these servers, or for the provider of its login. */
export const waitingParts: readonly AccessPart[] = ['oidc', ...(Object.keys(asks) as AskingPart[])];

/** Whether it may, for this part of what a level demands. */
export const partWaits = (part: AccessPart, access: Access): boolean =>
  part === 'oidc' ? access.oidc !== undefined && !access.closed?.includes('oidc') : asksServer(part, access);

/** Whether it may for any of them. */
export const accessWaits = (access: Access): boolean => waitingParts.some((part) => partWaits(part, access));
