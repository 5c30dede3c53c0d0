import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** How many nodes, and which numbers an edge leads from and to. */
export interface LayoutRequest {
  readonly turn: number;
  readonly nodes: number;
  readonly edges: readonly (readonly [from: number, to: number])[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Centres of nodes, and points that edges pass. */
export interface Drawing {
  readonly turn: number;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Point[];
  readonly edges: readonly (readonly Point[])[];
}

/** The name of the worker's file, which the build puts in. */
declare const layoutWorkerFile: string;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** The one script that this policy lets through is ours. */
function startWorker(): Worker {
  const url = new URL(`./${layoutWorkerFile}`, import.meta.url).href;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('gatewright-layout', { createScriptURL: () => url });
  return new Worker(policy?.createScriptURL('') ?? url, { type: 'module' });
}

let worker: Worker | undefined;
let turns = 0;

/** Where to draw what; undefined until it is known. `failed`: there is no worker, so there is no drawing. */
export function useLayout(nodes: number, edges: LayoutRequest['edges'], key: string): Drawing | 'failed' | undefined {
  const drawing = useSignal<Drawing | 'failed' | undefined>(undefined);
  const turn = useRef(0);
  useEffect(() => {
    try {
      worker ??= startWorker();
    } catch {
      drawing.value = 'failed';
      return undefined;
    }
    const current = worker;
    turns += 1;
    turn.current = turns;
    drawing.value = undefined;
    const take = ({ data }: MessageEvent<Drawing>): void => {
      if (data.turn === turn.current) drawing.value = data;
    };
    const fail = (): void => {
      drawing.value = 'failed';
    };
    current.addEventListener('message', take);
    current.addEventListener('error', fail);
    current.postMessage({ turn: turns, nodes, edges } satisfies LayoutRequest);
    return () => {
      current.removeEventListener('message', take);
      current.removeEventListener('error', fail);
    };
  }, [key]);
  return drawing.value;
}
