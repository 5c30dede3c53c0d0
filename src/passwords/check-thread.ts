/** What runs in the threads of CheckThreads: nothing else imports it. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { isRight } from './is-right.ts';

/** What a thread is asked. */
export interface ThreadQuestion {
  readonly hash: string;
  readonly password: Uint8Array;
}

const port = parentPort as MessagePort;
port.on('message', ({ hash, password }: ThreadQuestion) => port.postMessage(isRight(hash, password)));
