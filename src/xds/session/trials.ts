import { untriedReason } from '../../contracts/index.ts';
import type { EnvoyResource, Origin, Trial } from '../../translate/index.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import { type OpenTrial, OpenTrials } from './open-trials.ts';
import { originKey } from './origin-key.ts';
import { type Place, placeOf } from './place.ts';
import { deltaSize } from './wire.ts';

/** `untried`: it is sent without having been tried. */
export type TrialVerdict = 'valid' | 'rejected' | 'untried';

/** How a trial ended. */
export interface Outcome {
  readonly origin: Origin;
  readonly verdict: TrialVerdict;
  /** Why an Envoy rejects it; undefined: it may be sent. */
  readonly message?: string | undefined;
  /** Resources that have it. */
  readonly places: readonly Place[];
}

/** What is to be tried at once: an Envoy takes as long for one as for many. */
export interface TrialBatch {
  readonly contents: readonly EnvoyResource[];
  readonly sent: (nonce: string, nowMs: number) => void;
}

/** Resources that the client is to try and is not sent. */
export interface TrialQuestion {
  readonly contents: readonly EnvoyResource[];
  /** `error`: what the client says against them, or why it cannot try them. */
  readonly answer: (error: string | undefined) => void;
}

export interface TrialsOptions {
  /** The client has an Envoy beside the one that serves. */
  readonly tries: boolean;
  readonly epoch: () => number;
  readonly clock: () => Date;
}

const mostAtOnce = 64;
const mostBytes = 1024 * 1024;
/** Trials that ended well. Who has more of them has some tried again. */
const mostValid = 4096;
/** How long an agent may take: it ends a trial itself after two minutes. */
const answerMs = 150_000;
/** For that long a resource stays as the client has it. Then it changes without the patch. */
const holdMs = 10_000;

/** Questions that wait: those who ask them take turns. */
const mostQuestions = 4;

const noAgent = 'the proxy has no agent that could try it';
const nothing: ReadonlySet<string> = new Set();

/**
 * What one client has tried before it is served. What of a resource waits for its trial is left out, or the client keeps to the resource that it has, if that has
 * such a thing too. What cannot be tried is sent, and found out as all else that a client rejects. Nothing of it is for other clients.
 */
export class Trials {
  readonly #options: TrialsOptions;
  readonly #open = new OpenTrials();
  readonly #valid = new Set<string>();
  /** By trial, what is sent without one. */
  readonly #untried = new Map<string, ClientRejection>();
  /** By trial, the resource that it was met in. */
  readonly #untriedAt = new Map<string, string>();
  /** Resources that the client has with something that is tried. */
  readonly #has = new Set<string>();
  #asking = false;
  /** Why nothing is tried. */
  #unable: string | undefined;
  readonly #questions: TrialQuestion[] = [];
  #asked: { readonly nonce: string; readonly question: TrialQuestion } | undefined;
  #ended: Outcome[] = [];
  #changed = false;

  constructor(options: TrialsOptions) {
    this.#options = options;
    this.#unable = options.tries ? undefined : noAgent;
  }

  /** The first epoch of which something waits; infinite when nothing does. */
  get behindSince(): number {
    return this.#open.since;
  }

  /** What waits, and what is sent without having been tried. */
  *list(): Generator<ClientRejection> {
    for (const { rejection } of this.#open.list()) yield rejection;
    yield* this.#untried.values();
  }

  /** Keys of the origins that the client is not to be sent yet. `isRejected`: that is known of it already. */
  waitingIn(resource: EnvoyResource, isRejected: (origin: Origin) => boolean): ReadonlySet<string> {
    const trials = resource.provenance?.trials?.().filter(({ origin }) => !isRejected(origin));
    if (!trials?.length) return nothing;
    return new Set(trials.flatMap((trial) => (this.#mustWait(trial, resource) ? [trial.origin.key] : [])));
  }

  /** The client is to keep what it has of the resource, some of which waits. */
  keeps(resource: EnvoyResource): boolean {
    return this.#has.has(placeOf(resource)) && !this.#open.isOverdueAt(placeOf(resource));
  }

  /** The client has this. */
  taken(resource: EnvoyResource): void {
    if (resource.provenance?.trials) this.#has.add(placeOf(resource));
    else if (this.#has.size > 0) this.#has.delete(placeOf(resource));
  }

  /** The client has the resource from an earlier stream, in some version. */
  had(resource: EnvoyResource, version: string): void {
    const trials = resource.provenance?.trials?.();
    if (!trials) return;
    this.#has.add(placeOf(resource));
    if (version === resource.version) for (const trial of trials) this.#passed(keyOf(trial));
  }

  /** What the resource is from now on; undefined: it is gone, or the client does not want it. */
  changed(place: Place, after: EnvoyResource | undefined): void {
    if (!after) this.#has.delete(placeOf(place));
    if (this.#open.size + this.#untried.size === 0) return;
    const left = new Set(after?.provenance?.trials?.().map(keyOf));
    if (this.#open.untie(placeOf(place), left)) this.#changed = true;
    for (const [key, at] of this.#untriedAt) if (at === placeOf(place) && !left.has(key)) this.#forgetUntried(key);
  }

  /** The client asks for what is to be tried, or answers. */
  request({ nonce, error }: { readonly nonce: string; readonly error?: string }): void {
    this.#asking = true;
    if (this.#asked?.nonce === nonce) {
      const { question } = this.#asked;
      this.#asked = undefined;
      question.answer(error);
      return;
    }
    const asked = nonce === '' ? undefined : this.#open.answered(nonce);
    if (asked) this.#judge(asked, error);
  }

  /** What is to be tried next; undefined: nothing, or the client has not answered. */
  next(): TrialBatch | undefined {
    if (!this.#asking || this.#unable !== undefined) return undefined;
    const batch = this.#open.next(mostAtOnce, mostBytes, deltaSize);
    if (!batch) return this.#nextQuestion();
    return {
      contents: batch.map(({ content }) => content),
      sent: (nonce, nowMs) => this.#open.sent(batch, nonce, nowMs),
    };
  }

  /** Has something tried when nothing else is to be. False: it cannot be. */
  ask(question: TrialQuestion): boolean {
    if (!this.#asking || this.#unable !== undefined || this.#questions.length >= mostQuestions) return false;
    this.#questions.push(question);
    return true;
  }

  #nextQuestion(): TrialBatch | undefined {
    if (this.#asked || this.#open.isAsked) return undefined;
    const question = this.#questions.shift();
    if (!question) return undefined;
    const sent = (nonce: string) => {
      this.#asked = { nonce, question };
    };
    return { contents: question.contents, sent };
  }

  /** Looks at the clock. Gives resources that wait for too long to be kept as they are. */
  tick(nowMs: number): readonly Place[] {
    if (this.#open.size === 0) return [];
    if (this.#open.waitsSince(nowMs) + answerMs <= nowMs) {
      this.#unable = "the proxy's agent does not answer";
      for (const open of [...this.#open.list()]) this.#sendUntried(open, this.#unable);
    }
    return this.#open.overdue(nowMs, holdMs);
  }

  /** How trials ended since the last call. */
  takeEnded(): readonly Outcome[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Whether `list` has changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  #mustWait(trial: Trial, resource: EnvoyResource): boolean {
    const key = keyOf(trial);
    if (this.#valid.has(key) || this.#untried.has(key)) return false;
    const { clock, epoch } = this.#options;
    const { typeUrl } = resource;
    const rejection: ClientRejection = { ...trial.origin, typeUrl, trial: 'running', message: waiting, since: clock() };
    try {
      if (this.#unable === undefined) {
        if (this.#open.add(key, { trial, rejection, epoch: epoch() }, placeOf(resource))) this.#changed = true;
        return true;
      }
    } catch (error) {
      // What cannot be made for a trial must not end the stream, and with it all other changes.
      this.#sendAtOnce(key, { ...rejection, message: (error as Error).message }, resource);
      return false;
    }
    this.#sendAtOnce(key, { ...rejection, message: this.#unable }, resource);
    return false;
  }

  #judge(asked: readonly OpenTrial[], error: string | undefined): void {
    const reason = error === undefined ? undefined : untriedReason(error);
    const [only] = asked;
    if (error === undefined) for (const open of asked) this.#taken(open);
    else if (reason !== undefined) for (const open of asked) this.#sendUntried(open, reason);
    else if (asked.length > 1) this.#open.split(asked);
    else if (only) this.#rejected(only, error);
  }

  #taken(open: OpenTrial): void {
    // The same without it is taken, so it is at fault.
    if (open.message !== undefined) this.#end(open, 'rejected', open.message);
    else {
      this.#passed(open.key);
      this.#end(open, 'valid');
    }
  }

  #rejected(open: OpenTrial, error: string): void {
    const control = open.message === undefined ? open.trial.control?.() : undefined;
    if (open.message !== undefined) this.#sendUntried(open, `Envoy says the same of the resource without it: ${error}`);
    else if (control) this.#open.control(open, control, error);
    else this.#end(open, 'rejected', error);
  }

  #end({ key, trial: { origin } }: OpenTrial, verdict: TrialVerdict, message?: string): void {
    this.#changed = true;
    this.#ended.push({ origin, verdict, message, places: this.#open.close(key) });
  }

  #sendUntried(open: OpenTrial, reason: string): void {
    const [place = ''] = open.places;
    this.#addUntried(open.key, { ...open.rejection, trial: 'none', message: reason }, place);
    this.#end(open, 'untried');
  }

  #sendAtOnce(key: string, rejection: ClientRejection, resource: EnvoyResource): void {
    this.#addUntried(key, { ...rejection, trial: 'none' }, placeOf(resource));
    const { kind, digest } = rejection;
    this.#ended.push({ origin: { kind, key: rejection.key, digest }, verdict: 'untried', places: [] });
  }

  #addUntried(key: string, rejection: ClientRejection, resource: string): void {
    this.#changed = true;
    this.#untried.set(key, rejection);
    this.#untriedAt.set(key, resource);
  }

  #forgetUntried(key: string): void {
    this.#changed = true;
    this.#untried.delete(key);
    this.#untriedAt.delete(key);
  }

  #passed(key: string): void {
    this.#valid.add(key);
    const [oldest] = this.#valid;
    if (this.#valid.size > mostValid && oldest !== undefined) this.#valid.delete(oldest);
  }
}

const waiting = 'an Envoy that serves nothing tries it first';

const keyOf = ({ origin, version }: Trial): string => `${originKey(origin)} ${version}`;
