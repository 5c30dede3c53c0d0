import type { Asked, Job } from './job.ts';
import type { Wire } from './wire.ts';

/** What a thread is started with. */
export interface ThreadSetup {
  /** Of definitions; undefined when nothing is judged. */
  readonly directories: readonly string[] | undefined;
  /** Names of the kinds that are read. */
  readonly kinds: readonly string[];
}

/** To the thread. One job at a time. */
export type ToThread =
  | { readonly say: 'do'; readonly job: Job }
  | { readonly say: 'old'; readonly objects: readonly unknown[] }
  | { readonly say: 'more' };

/** From the thread. */
export type FromThread =
  | { readonly say: 'ready' }
  | { readonly say: 'ask'; readonly asked: readonly Asked[] }
  /** Some of a long result's entries. They are taken out of the message one slice at a time, for each is a turn of who waits. */
  | { readonly say: 'entries'; readonly entries: Wire }
  | { readonly say: 'done'; readonly result: Wire }
  | { readonly say: 'failed'; readonly error: { readonly name: string; readonly message: string } };
