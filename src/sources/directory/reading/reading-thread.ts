/** What runs in the thread of a ThreadOfOne: nothing else imports it. */
import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { kinds } from '../../../gateway-api/index.ts';
import type { FileContent } from '../file-content.ts';
import { ObjectValidator } from '../validate/index.ts';
import { type Asked, doJob, type Job } from './job.ts';
import type { FromThread, ThreadSetup, ToThread } from './messages.ts';
import { packed } from './wire.ts';

const port = parentPort as MessagePort;
const { directories, kinds: read } = workerData as ThreadSetup;

/** Entries in one message. */
const sliceLength = 100;

let loaded: Promise<ObjectValidator> | undefined;

function validator(): Promise<ObjectValidator> {
  const known = Object.values(kinds).filter(({ name }) => read.includes(name));
  loaded ??= ObjectValidator.load(directories ?? [], known);
  return loaded;
}

const post = (message: FromThread): void => port.postMessage(message);

async function ask(message: FromThread): Promise<ToThread> {
  const answer = once(port, 'message');
  post(message);
  return ((await answer) as [ToThread])[0];
}

async function askOld(asked: readonly Asked[]): Promise<readonly unknown[]> {
  const answer = await ask({ say: 'ask', asked });
  return answer.say === 'old' ? answer.objects : [];
}

async function answer(job: Job): Promise<void> {
  try {
    const result = await doJob(job, { validator, askOld });
    const rest = job.kind === 'content' ? await inSlices(result as FileContent) : result;
    post({ say: 'done', result: packed(rest) });
  } catch (error) {
    const { name, message } = error as Error;
    post({ say: 'failed', error: { name, message } });
  }
}

/** Sends the entries ahead, and gives the rest. */
async function inSlices(content: FileContent): Promise<FileContent> {
  const entries = [...content.entries];
  while (entries.length > 0) await ask({ say: 'entries', entries: packed(entries.splice(0, sliceLength)) });
  return { ...content, entries: new Map() };
}

port.on('message', (message: ToThread) => {
  if (message.say === 'do') void answer(message.job);
});
post({ say: 'ready' });
