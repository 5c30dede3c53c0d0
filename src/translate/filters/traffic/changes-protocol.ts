import { header, matches, regex } from '../access/predicates.ts';
import type { Predicate } from '../slot.ts';

const asksForAnother: Predicate = {
  matchType: {
    case: 'andMatcher',
    value: {
      predicate: [
        matches(header('upgrade'), regex('.+')),
        matches(header('connection'), regex('(?i)(.*[ ,])?upgrade([ ,].*)?')),
      ],
    },
  },
};

const asksForTunnel = matches(header(':method'), regex('CONNECT'));

/** A connection that changes its protocol, or is a tunnel, has no end that could be waited for. Envoy lets in the protocols that it knows, and no other. */
export const changesProtocol: Predicate = {
  matchType: { case: 'orMatcher', value: { predicate: [asksForAnother, asksForTunnel] } },
};
