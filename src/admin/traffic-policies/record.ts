import * as z from 'zod';
import { level } from '../access/leaves.ts';
import { placeShape, policyObject } from '../policy-places/record.ts';
import { named, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const groupName = z.string().describe('The member of the policy: `retry`, `timeouts`, `extProc`, `routeAction`, …');
/** The kinds whose modules have `traffic`. */
export const trafficPolicyKinds = ['TrafficPolicy', 'ExtensionPolicy', 'EnvoyPatch'] as const;
export const trafficPolicyKind = z.enum(trafficPolicyKinds);

export const trafficPolicyEntry = named(
  'TrafficPolicyEntry',
  'What one TrafficPolicy says of one group, an ExtensionPolicy of its extension, or an EnvoyPatch of one part, at one place where requests meet it.',
  {
    ...placeShape,
    level: level.describe('Where the policy is attached.'),
    group: groupName,
    kind: trafficPolicyKind.describe('Of the policy.'),
    policy: policyObject,
    state: z
      .enum(['inForce', 'disabled', 'overridden', 'conflicted', 'leftOut', 'closed', 'rejected'])
      .describe(
        '`disabled`: the policy switches off what upper levels say. `overridden`, `conflicted`: by the policy in `by`, of another level or an older one of the same target. `leftOut`: an extension does not act, and requests do without it: others have the places, or it is not available; a group does nothing at the listeners, as `message` says; of a patch, something is wrong with it, or other Gateways have listeners on the same port, as `message` says. `closed`: it does not act, and requests are answered 503. `rejected`: it holds, and proxies reject it, as `message` says.',
      ),
    by: policyObject.nullable().describe('The policy that holds in its place; null: it holds itself.'),
    value: z.unknown().describe('As the policy has it; null: it is disabled.'),
    message: z
      .string()
      .nullable()
      .describe(
        'What proxies say of a group that they reject, and what comes of it; or where a group does nothing, and why; null: nothing.',
      ),
  },
);

export type TrafficPolicyEntry = Shown<typeof trafficPolicyEntry>;

export const heldGroup = named(
  'HeldGroup',
  'A group of TrafficPolicies, an extension, or a part of a patch, and what holds of it for a request.',
  {
    group: groupName,
    value: z
      .unknown()
      .describe('As the policy has it, or the rule where that says it by itself; null: it is disabled.'),
    from: object({
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      level: level.describe('Where the policy is attached; `rule` for the route itself.'),
    }).describe('Which policy says so, or the HTTPRoute that does.'),
    overrides: z.array(policyObject).describe('Policies that say something else of the group, which does not hold.'),
  },
);

export type HeldGroup = Shown<typeof heldGroup>;
