import type { EnvoyResource } from '../../translate/index.ts';
import type { Channel } from './channel.ts';
import type { Asked } from './subscription.ts';
import type { View } from './view.ts';

/*
 * What goes into a channel's outbox: answers to what was asked, and changes of a new view. When it leaves is the Gate's
 * business.
 */

export const nothingAsked: Asked = { everything: false, names: [], dropped: [] };

export const noVersions: ReadonlyMap<string, string> = new Map();

/** Puts the answer to `asked` into the outbox, less what the client has (`has`: name → version) from an earlier stream. */
export function fillAnswer(view: View, channel: Channel, asked: Asked, has = noVersions): void {
  const { outbox, repeatsAll } = channel;
  const since = view.snapshotVersion.epoch;
  if (asked.everything) fillAll(view, channel, has);
  for (const name of asked.names) fillNamed(view, channel, name, has);
  const changed = asked.names.length > 0 || asked.dropped.length > 0;
  if (asked.everything || (repeatsAll && changed)) outbox.requireAnswer(since);
}

function fillAll(view: View, channel: Channel, has: ReadonlyMap<string, string>): void {
  const { typeUrl, traits, outbox } = channel;
  const { group } = view;
  const since = view.snapshotVersion.epoch;
  const resources = traits.queue === 'free' ? group.resources(typeUrl).values() : view.resources(typeUrl);
  const unknown = new Set(has.keys());
  for (const resource of resources) {
    unknown.delete(resource.name);
    const first = traits.queue === 'route' ? group.withoutSuspects(resource) : resource;
    const known = has.get(resource.name);
    if (first !== undefined && known !== first.version) outbox.put(first, since);
    // What the others reject is tried, but not at the cost of what comes with it: Envoy takes none of a response with a bad route.
    if (first !== resource && known !== resource.version) outbox.putApart(resource, since);
  }
  for (const name of unknown) fillRemoval(channel, name, undefined, since);
  // Nothing leads anywhere yet, and a client's first content is best sent whole.
  if (has.size === 0) outbox.mix();
}

// What the client has may be in use and goes in its turn. What it has not, it waits for: it is sent at once.
function fillNamed(view: View, channel: Channel, name: string, has: ReadonlyMap<string, string>): void {
  const { typeUrl, traits, outbox } = channel;
  const since = view.snapshotVersion.epoch;
  const there = traits.queue === 'free' ? view.findNewest(typeUrl, name) : view.find(typeUrl, name);
  const resource = there ?? outbox.removals.held(name);
  if (resource !== undefined && has.get(name) !== resource.version) outbox.put(resource, since, true);
  else if (resource === undefined && has.has(name)) fillRemoval(channel, name, undefined, since);
  else if (resource === undefined) outbox.putAbsent(name, since);
}

/** Puts the names that changed between two views into the outbox. `names` says what each was in the view before. */
export function fillChanges(
  { group, snapshotVersion }: View,
  channel: Channel,
  names: ReadonlyMap<string, EnvoyResource | undefined>,
): void {
  const since = snapshotVersion.epoch;
  for (const [name, before] of names) {
    const after = group.get(channel.typeUrl, name);
    if (!channel.subscription.covers(name) || after?.version === before?.version) continue;
    if (after === undefined) fillRemoval(channel, name, before, since);
    else if (channel.traits.queue !== 'free') channel.outbox.put(after, since);
  }
}

// Listeners with an address go together with the new ones, which may want it. All else goes when nothing needs it any more.
function fillRemoval(
  { outbox, traits }: Channel,
  name: string,
  before: EnvoyResource | undefined,
  since: number,
): void {
  if (traits.lingers(name)) outbox.linger(name);
  else if (traits.queue === 'listener') outbox.putAbsent(name, since);
  else outbox.holdRemoval(name, before);
}
