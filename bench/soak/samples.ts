import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessFigures } from '../support/processes.ts';

/** What one process had at a time. */
export interface ProcessSample {
  readonly rssMb: number;
  readonly descriptors: number;
  readonly cpuSeconds: number;
}

/** What was seen at a time, in minutes since the piece began. */
export interface Sample {
  readonly piece: number;
  readonly minutes: number;
  readonly controlPlane: ProcessSample;
  readonly agent: ProcessSample;
  readonly envoy: ProcessSample;
  /** The 99th percentile of the event loop's delay since the last sample. */
  readonly loopP99Ms: number;
  readonly usedHeapMb: number;
  /** The SQLite file with its log. */
  readonly sqliteKb: number;
  readonly changes: number;
}

export async function processSample({ pid, rssMb, cpuSeconds }: ProcessFigures): Promise<ProcessSample> {
  return { rssMb, cpuSeconds, descriptors: (await readdir(`/proc/${pid}/fd`)).length };
}

/** What the control plane says of itself; asking starts its percentile again. */
export async function loopOf(metrics: string): Promise<Pick<Sample, 'loopP99Ms' | 'usedHeapMb'>> {
  const text = await fetch(`${metrics}/metrics`).then((response) => response.text());
  const value = (name: string) => Number(new RegExp(`^gatewright_nodejs_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    loopP99Ms: Math.round(value('eventloop_lag_p99_seconds') * 1000),
    usedHeapMb: Math.round(value('heap_size_used_bytes') / 2 ** 20),
  };
}

/** Kilobytes of the files of the folder that have `sqlite` in their names. */
export async function sqliteKbOf(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.includes('sqlite'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
}

/** Samples of all pieces, a line of JSON each, in one file that each piece adds to. */
export class SampleFile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'samples.jsonl');
  }

  async all(): Promise<readonly Sample[]> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Sample);
  }

  async add(sample: Sample): Promise<void> {
    await appendFile(this.#path, `${JSON.stringify(sample)}\n`);
  }
}
