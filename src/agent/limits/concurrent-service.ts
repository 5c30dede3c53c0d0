import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { concurrentMetadata, limitHeaders, parseConcurrentBuckets } from '../../contracts/index.ts';
import { concurrentService } from '../../xds/methods/index.ts';
import { passedAnswer, readProcessed, rejectedAnswer, trailersAnswer } from './concurrent-messages.ts';
import type { LimitCounts } from './limit-counts.ts';
import { type Held, UnderWay } from './under-way.ts';

type Stream = ServerDuplexStream<Uint8Array, Uint8Array>;

/** Envoy's for its own limits. */
const rejection = 'local_rate_limited';
/** When one of those ends that are under way is not known. */
const retryAfter = '1';

/**
 * Counts requests that are under way. Envoy opens a stream for each, and ends it with the request, however that ends: so nothing can be left over
 * from a request that is gone.
 */
export class ConcurrentLimits {
  readonly #underWay = new UnderWay();
  readonly #counts: LimitCounts;

  constructor(counts: LimitCounts) {
    this.#counts = counts;
  }

  serve(server: Server): void {
    server.addService(concurrentService, { Process: (stream: Stream) => this.#take(stream) });
  }

  #take(stream: Stream): void {
    const [text = ''] = stream.metadata.get(concurrentMetadata);
    const buckets = parseConcurrentBuckets(text.toString());
    if (!buckets) {
      stream.emit('error', { code: status.UNIMPLEMENTED, details: 'the stream names no buckets' });
      return;
    }
    let release = (): void => undefined;
    stream.on('data', (bytes: Uint8Array) => {
      const processed = readProcessed(bytes);
      if (processed.kind === 'trailers') stream.write(trailersAnswer());
      if (processed.kind !== 'request') return;
      release();
      const held = this.#underWay.take(buckets, processed.headers, (bucket, isFull) =>
        this.#counts.add(bucket.id, isFull ? (bucket.shadow ? 'shadowed' : 'rejected') : 'passed'),
      );
      release = held.release;
      stream.write(answerOf(held));
    });
    const end = () => release();
    stream.on('cancelled', end).on('error', end).on('close', end);
    stream.on('end', () => {
      end();
      stream.end();
    });
  }
}

const answerOf = ({ full, shadowed }: Held): Buffer =>
  full
    ? rejectedAnswer(
        full.status,
        [
          [limitHeaders.rejected, full.id],
          ['retry-after', retryAfter],
        ],
        rejection,
      )
    : passedAnswer(shadowed.map((id) => [limitHeaders.shadowed, id]));
