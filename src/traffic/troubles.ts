import type { Failure } from './failure-ring.ts';
import type { Subject } from './subjects.ts';

/** What failed of one rule and backend lately. Times are milliseconds since 1970. */
export interface Trouble extends Pick<Subject, 'fleet' | 'route' | 'backend'> {
  readonly since: number;
  readonly lastAt: number;
  /** Of the newest times with requests, half a minute together. */
  readonly requests: number;
  readonly errors: number;
  /** How many errors had each flag; the most first. */
  readonly flags: readonly string[];
  /** The newest of them that is known; null: none was sent. */
  readonly sample: Pick<Failure, 'endpoint' | 'flags' | 'status' | 'details' | 'transportFailure' | 'listener'> | null;
}

interface Step {
  readonly start: number;
  requests: number;
  errors: number;
}

interface Followed extends Pick<Subject, 'fleet' | 'route' | 'backend'> {
  readonly since: number;
  lastAt: number;
  /** The newest times with requests, the newest last. */
  readonly steps: Step[];
  readonly flags: Map<string, number>;
  /** Failures of nodes that have not counted them yet. */
  readonly early: Map<string, number>;
  sample: Trouble['sample'];
}

const stepMs = 10_000;
/** So many times with requests say whether it fails now. */
const newest = 3;
/** Without requests it is not known whether it still fails; this long after the last failure it is not said any more. */
const forgottenMs = 300_000;
/** Rules and backends that are followed at once. */
const mostFollowed = 5000;
const mostSteps = 6;

/** From which share of errors on a rule is said to fail. */
const failingShare = 0.05;
/** The same where there are that many errors. */
const noticeableShare = 0.01;
const noticeableErrors = 10;

/** What fails now: followed from the first error until requests pass again. Costs nothing for rules without errors. */
export class Troubles {
  readonly #followed = new Map<string, Followed>();

  /** Takes what a node counted. */
  count(
    subject: Subject,
    counts: { readonly requests: number; readonly errors: number; readonly flags: Readonly<Record<string, number>> },
    at: number,
  ): void {
    const key = keyOf(subject);
    const known = this.#followed.get(key);
    if (known === undefined && counts.errors === 0) return;
    const followed = known ?? this.#follow(key, subject, at);
    if (followed === undefined) return;
    const step = stepOf(followed, at);
    step.requests += counts.requests;
    step.errors += counts.errors;
    if (counts.errors === 0) return;
    followed.lastAt = Math.max(followed.lastAt, at);
    for (const [flag, count] of Object.entries(counts.flags))
      followed.flags.set(flag, (followed.flags.get(flag) ?? 0) + count);
  }

  /** A node has counted all that it had: what it sent before is in it. */
  counted(node: string): void {
    for (const { early } of this.#followed.values()) early.delete(node);
  }

  /** Takes a failed request that is an error, as soon as it is known. */
  fail(subject: Subject, failure: Omit<Failure, 'id'>): void {
    const key = keyOf(subject);
    const followed = this.#followed.get(key) ?? this.#follow(key, subject, failure.at);
    if (followed === undefined) return;
    const node = `${failure.fleet}\n${failure.node}`;
    followed.early.set(node, (followed.early.get(node) ?? 0) + 1);
    followed.lastAt = Math.max(followed.lastAt, failure.at);
    const { endpoint, flags, status, details, transportFailure, listener } = failure;
    followed.sample = { endpoint, flags, status, details, transportFailure, listener };
    if (followed.flags.size === 0) for (const flag of flags) followed.flags.set(flag, 1);
  }

  /** What has errors now, be they few. */
  list(now: number): Trouble[] {
    const found: Trouble[] = [];
    for (const [key, followed] of this.#followed) {
      const trouble = troubleOf(followed);
      if (trouble.errors === 0 || now - followed.lastAt > forgottenMs) this.#followed.delete(key);
      else found.push(trouble);
    }
    return found;
  }

  #follow(key: string, { fleet, route, backend }: Subject, since: number): Followed | undefined {
    if (this.#followed.size >= mostFollowed) return undefined;
    const followed: Followed = {
      fleet,
      route,
      backend,
      since,
      lastAt: since,
      steps: [],
      flags: new Map(),
      early: new Map(),
      sample: null,
    };
    this.#followed.set(key, followed);
    return followed;
  }
}

/** Whether so many errors are worth a word. */
export const isNoticeable = ({ requests, errors }: Pick<Trouble, 'requests' | 'errors'>): boolean =>
  errors >= failingShare * requests || (errors >= noticeableErrors && errors >= noticeableShare * requests);

/** Whether users are hurt by it. */
export const isFailing = ({ requests, errors }: Pick<Trouble, 'requests' | 'errors'>): boolean =>
  errors >= failingShare * requests;

function troubleOf({ fleet, route, backend, since, lastAt, steps, flags, early, sample }: Followed): Trouble {
  const counted = steps.slice(-newest);
  const sum = (name: 'requests' | 'errors') => counted.reduce((total, step) => total + step[name], 0);
  const uncounted = [...early.values()].reduce((total, count) => total + count, 0);
  return {
    fleet,
    route,
    backend,
    since,
    lastAt,
    requests: sum('requests') + uncounted,
    errors: sum('errors') + uncounted,
    flags: [...flags].sort((a, b) => b[1] - a[1]).map(([flag]) => flag),
    sample,
  };
}

function stepOf({ steps }: Followed, at: number): Step {
  const start = Math.floor(at / stepMs) * stepMs;
  const known = steps.find((step) => step.start === start);
  if (known !== undefined) return known;
  const step = { start, requests: 0, errors: 0 };
  steps.push(step);
  steps.sort((a, b) => a.start - b.start);
  if (steps.length > mostSteps) steps.shift();
  return step;
}

const keyOf = ({ fleet, route, backend }: Pick<Subject, 'fleet' | 'route' | 'backend'>): string =>
  `${fleet}\n${route}\n${backend}`;
