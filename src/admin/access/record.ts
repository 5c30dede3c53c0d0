import * as z from 'zod';
import { count, named, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';
import { level, part, policyName } from './leaves.ts';

export const accessEntry = named(
  'AccessEntry',
  'One part of one policy, at one place where requests meet it: of a Gateway, a route or a rule.',
  {
    gateway: policyName.nullable().describe('Null: no Gateway of our classes has the target.'),
    target: object({
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      rule: z.string().nullable().describe('The name of a rule or listener; null: all of it.'),
    }).describe(
      'What requests go to: of `route` the rule, of `policy` the target of the policy, of `target` it or one of its listeners.',
    ),
    rule: count.nullable().describe('Position of the rule in its route, from 0; null: all rules.'),
    ruleName: z.string().nullable().describe('Null: it has no name, or it is not about one rule.'),
    level: level.nullable().describe('Null: the policy has no such target.'),
    part: part.nullable().describe('Null: the target does not exist, or the policy demands nothing.'),
    policy: policyName,
    state: z
      .enum(['inForce', 'closed', 'overridden', 'conflicted', 'unattached'])
      .describe(
        '`closed`: something of it is not available, and requests are answered 500. `overridden`, `conflicted`: by the policy in `by`. `unattached`: the target, or its rule or listener, does not exist, or no Gateway of ours has it.',
      ),
    by: policyName.nullable().describe('The policy that overrides it or is older; null: none.'),
    reasons: z.array(z.string()).describe('What is wrong, as `REASON: MESSAGE`.'),
    hosts: z.array(z.string()).describe('Hosts of a route there, of a Gateway the hostnames of its listeners.'),
    hostCount: count.describe('How many hosts the proxies have routes for that meet the part.'),
  },
);

export type AccessEntry = Shown<typeof accessEntry>;
