import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { BasicAuthSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { FilterChoice, SlotContent } from '../slot.ts';
import { passwordQuestion } from './password-question.ts';
import { header, matches, regex } from './predicates.ts';

/**
 * Envoy checks {SHA} itself. Where a user has another hash, the agent is asked about every password; requests that have none, or what is none, Envoy
 * answers all the same.
 */
export function basicAuth(demanded: ir.BasicAuth): SlotContent {
  const choices = basicAuthChoices(demanded);
  return choices.length === 0 ? basicAuthFilter(demanded) : { choices, otherwise: basicAuthFilter(demanded) };
}

/** What is asked of the agent; empty: nothing. */
export const basicAuthChoices = (demanded: ir.BasicAuth): FilterChoice['choices'] =>
  demanded.hashed
    ? [
        {
          predicate: matches(header('authorization'), regex('Basic [A-Za-z0-9+/]+={0,2}')),
          filter: passwordQuestion(demanded),
        },
      ]
    : [];

/** Users that Envoy can check. */
const isEnvoys = (line: string): boolean => line.includes(':{SHA}');

/** Envoy wants one at least: a digest that no known password has. */
const noUser = `none:{SHA}${Buffer.alloc(20).toString('base64')}\n`;

/** Envoy's own filter. */
export function basicAuthFilter({ htpasswd, hashed, realm, userHeader }: ir.BasicAuth): Any {
  const users = hashed ? envoysUsers(htpasswd) : htpasswd.reveal();
  return packAny(
    BasicAuthSchema,
    create(BasicAuthSchema, {
      users: { specifier: { case: 'inlineBytes', value: users } },
      ...(realm !== undefined && { realm }),
      ...(userHeader !== undefined && { forwardUsernameHeader: userHeader }),
    }),
  );
}

function envoysUsers(htpasswd: ir.Sensitive): Uint8Array {
  const lines = Buffer.from(htpasswd.reveal()).toString().split('\n').filter(isEnvoys);
  return Buffer.from(lines.length > 0 ? `${lines.join('\n')}\n` : noUser);
}
