import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { statusOf } from '../support/ask.ts';
import type { Subject } from './subject.ts';
import { backend } from './world.ts';

const connections = 16;
const host = 'flip.example.com';
const pauseMs = 200;

/**
 * One route changes every 200 ms, its backend's port and a header filter, while 16 connections ask for it without a pause.
 * @returns requests, and those of them that were not answered 200
 */
export async function flips(
  subject: Subject,
  count: number,
): Promise<{ readonly requests: number; readonly failed: number }> {
  const { probe } = subject;
  await probe.put('flip', host, rulesOf(0));
  await probe.answersOn(host);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let isOver = false;
  let requests = 0;
  let failed = 0;
  const ask = async () => {
    while (!isOver) {
      requests += 1;
      if ((await statusOf(probe, host, agent, 5000)) !== 200) failed += 1;
    }
  };
  const asking = Array.from({ length: connections }, ask);
  for (let at = 1; at <= count; at += 1) {
    await probe.put('flip', host, rulesOf(at));
    await delay(pauseMs);
  }
  isOver = true;
  await Promise.all(asking);
  agent.destroy();
  await probe.removeRoute('flip', host);
  return { requests, failed };
}

function rulesOf(at: number): object[] {
  const header = { name: 'x-flip', value: String(at) };
  const filters = at % 2 === 0 ? [] : [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [header] } }];
  return [{ filters, backendRefs: [{ name: backend.name, port: at % 2 === 0 ? backend.port : backend.otherPort }] }];
}
