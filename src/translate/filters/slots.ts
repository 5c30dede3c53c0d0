import { accessSteps } from './access/access.ts';
import { corsSlot } from './cors/cors.ts';
import { authSlots } from './external-auth/auth-slots.ts';
import { credentialSlot, editSlot, withheldSlot } from './header-edits/header-edits.ts';
import { hostFilters } from './host-step.ts';
import { guardSteps, limitSteps } from './limits/limits.ts';
import { sessionSlots } from './session/session.ts';
import type { Slot, TableFilter } from './slot.ts';
import { type TablePlace, tablePlaceOf } from './table-places.ts';
import { answersTotalSlot, requestsTotalSlot } from './traffic/bandwidth-total.ts';
import { cookieScriptSlot, extensionsMet, pageScriptSlot, requestKept, trafficSlots } from './traffic/traffic.ts';

/**
 * Every filter of the filter chains, in the order in which requests meet them: slots, of which a chain has those that routes of its table use,
 * and what the table itself demands. A new one gets its place here, and an open listener takes it without draining.
 */
export const chainSteps: readonly (Slot | TableFilter)[] = [
  // Entry. Others ask whose a request is.
  ...hostFilters('entry'),
  // Before others write what clients must not.
  withheldSlot,
  // The outermost: it sees every answer as clients get it.
  trafficSlots.compression,
  // It sees the answers of all that stands behind it: rejections of policies, too.
  trafficSlots.errorPages,
  // Behind what says to it which servers have pages.
  pageScriptSlot,
  // A preflight carries no credentials, so it is answered before anything is demanded.
  corsSlot,
  // Before servers are sent bodies of requests.
  trafficSlots.requestBody,
  // Before servers are asked who a client is: they are what these limits guard.
  ...guardSteps,
  // Access. What stands in front of it may be replaced while requests wait here.
  ...hostFilters('access'),
  ...accessSteps,
  // Traffic. Servers of ExternalAuth are asked here: while they answer, `access` may be replaced, so it has only what is used.
  ...authSlots,
  // What has come in counts against limits.
  ...limitSteps,
  // Of what may come in; of answers after all others in this chain.
  editSlot,
  // A fault does not hide that a request may not come in, or is over a limit.
  trafficSlots.faults,
  // Only of what goes on to a backend anything is kept.
  trafficSlots.buffering,
  // Envoy 1.40 takes a body that these hold back for one that is not there when a filter behind them waits. So they see answers last of all that waits.
  trafficSlots.bandwidth,
  answersTotalSlot,
  // They see requests as they are after all checks, and answers before others change them.
  trafficSlots.firstExtension,
  trafficSlots.secondExtension,
  extensionsMet,
  // Answers as the backend gave them.
  trafficSlots.responseLocation,
  trafficSlots.responseCookies,
  trafficSlots.grpcWeb,
  // It judges by what a backend answers.
  trafficSlots.admission,
  // Behind all that reads headers, so that only backends see it.
  credentialSlot,
  // Behind all else, since it decides which endpoint the router takes.
  ...sessionSlots,
  // The same of requests.
  requestsTotalSlot,
  // Of answers alone, and only of backends' cookies: that of a session is made afterwards.
  cookieScriptSlot,
  // Behind all that may wait: what a module has changed until then is seen.
  ...requestKept,
];

/** What tables themselves have in resources beside chains in which requests wait. */
export const tablePlaces: readonly TablePlace[] = chainSteps.flatMap((step) => tablePlaceOf(step) ?? []);

export const slots: readonly Slot[] = chainSteps.filter((step): step is Slot => 'name' in step);
