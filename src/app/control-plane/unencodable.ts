import type { Graph, Rejection } from '../../graph/index.ts';
import type { PublisherOptions } from './publisher.ts';

/** Has objects say what of them cannot be encoded, and routes left out of the next build. */
export const unencodable = (
  graph: Pick<Graph, 'reject' | 'hold' | 'release'>,
  trigger: { fire(): void },
): Pick<PublisherOptions, 'onRejected' | 'onEncoded'> => ({
  onRejected(rejection: Rejection) {
    if (rejection.kind === 'route') graph.reject(rejection);
    else graph.hold(rejection);
    trigger.fire();
  },
  onEncoded(rejection: Rejection) {
    graph.release(rejection);
    trigger.fire();
  },
});
