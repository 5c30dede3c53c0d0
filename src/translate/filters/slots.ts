import { corsSlot } from './cors/cors.ts';
import { authSlots } from './external-auth/auth-slots.ts';
import { sessionSlots } from './session/session.ts';
import type { Slot } from './slot.ts';

/**
 * Every slot of both filter chains, in the order in which requests pass them; a chain has those of them that its table uses. A new
 * slot gets its place here, and an open listener takes it without draining.
 */
export const slots: readonly Slot[] = [
  // Access. A preflight carries no credentials, so it is answered before servers are asked.
  corsSlot,
  ...authSlots,
  // Traffic. Last, since it decides which endpoint the router takes.
  ...sessionSlots,
];
