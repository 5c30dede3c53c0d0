import { hash } from 'node:crypto';
import { limitDescriptor, parseSharedBucket, rememberedAs, type SharedBucket } from '../../contracts/index.ts';
import { type DescriptorEntry, type LimitDescriptor, readQuestion } from './rls-messages.ts';

/** What a question asks of one bucket. */
export interface LimitStep {
  /** Undefined where the descriptor names none. */
  readonly bucket: SharedBucket | undefined;
  /** A digest of what requests differ by, which itself never leaves the proxy. */
  readonly key: string;
  /** How many requests this one counts for. */
  readonly cost: number;
  /** Under which name the answer says the key; undefined where it does not. */
  readonly remembered: string | undefined;
}

/** Texts of buckets that were read; beyond it all are read again. */
const mostBuckets = 10_000;
/** The same of questions, and how many bytes one may have that is kept. */
const mostQuestions = 500;
const longestQuestion = 600;

/** Reads questions. Most are asked again and again, byte for byte: reading one takes longer than deciding on it. */
export class StepReader {
  readonly #buckets = new Map<string, SharedBucket | undefined>();
  readonly #questions = new Map<string, readonly LimitStep[]>();

  /** Undefined for what is not about shared limits. Throws when the bytes are no message. */
  stepsIn(question: Uint8Array): readonly LimitStep[] | undefined {
    if (question.length > longestQuestion) return this.#read(question);
    const text = Buffer.from(question.buffer, question.byteOffset, question.length).toString('latin1');
    const known = this.#questions.get(text);
    if (known) return known;
    const steps = this.#read(question);
    if (!steps) return undefined;
    if (this.#questions.size >= mostQuestions) this.#questions.clear();
    this.#questions.set(text, steps);
    return steps;
  }

  stepOf({ entries, cost }: LimitDescriptor): LimitStep {
    const [first, ...rest] = entries;
    const bucket = this.#bucketOf(first);
    if (bucket?.charges !== undefined)
      return { bucket, key: rest[0]?.value ?? '', cost: Math.min(cost, bucket.charges), remembered: undefined };
    const remembered = bucket?.remembers ? rememberedAs(bucket.id, targetIn(rest)) : undefined;
    return { bucket, key: digestOf(rest), cost, remembered };
  }

  #read(question: Uint8Array): readonly LimitStep[] | undefined {
    const { domain, descriptors } = readQuestion(question);
    return domain === limitDescriptor.domain ? descriptors.map((each) => this.stepOf(each)) : undefined;
  }

  #bucketOf(entry: DescriptorEntry | undefined): SharedBucket | undefined {
    const value = entry?.key === limitDescriptor.bucket ? entry.value : '';
    if (this.#buckets.size > mostBuckets) this.#buckets.clear();
    if (!this.#buckets.has(value)) this.#buckets.set(value, parseSharedBucket(value));
    return this.#buckets.get(value);
  }
}

const digestOf = (entries: readonly DescriptorEntry[]): string =>
  hash('sha256', JSON.stringify(entries.map(({ key, value }) => [key, value])), 'base64url').slice(0, 22);

const targetIn = ([first]: readonly DescriptorEntry[]): string | undefined =>
  first?.key === limitDescriptor.target ? first.value : undefined;
