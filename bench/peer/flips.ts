import { setTimeout as delay } from 'node:timers/promises';
import { Load } from '../support/load.ts';
import type { Tally } from '../support/tally.ts';
import type { Subject } from './subject.ts';
import { backend } from './world.ts';

const host = 'flip.example.com';
const pauseMs = 200;

/** One route changes every 200 ms, its backend's port and a header filter, while connections ask for it without a pause. */
export async function flips(subject: Subject, count: number, connections = 16): Promise<Tally> {
  const { probe } = subject;
  await probe.put('flip', host, rulesOf(0));
  await probe.answersOn(host);
  using load = new Load(probe, { host, connections });
  for (let at = 1; at <= count; at += 1) {
    await probe.put('flip', host, rulesOf(at));
    await delay(pauseMs);
  }
  const tally = await load.stop();
  await probe.removeRoute('flip', host);
  return tally;
}

function rulesOf(at: number): object[] {
  const header = { name: 'x-flip', value: String(at) };
  const filters = at % 2 === 0 ? [] : [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [header] } }];
  return [{ filters, backendRefs: [{ name: backend.name, port: at % 2 === 0 ? backend.port : backend.otherPort }] }];
}
