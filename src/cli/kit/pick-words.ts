import { pickWords } from '../../contracts/words/index.ts';
import { counted } from '../../std/index.ts';
import type { Wire } from './wire.ts';

export type PickOutcome = keyof Wire['picks']['items'][number]['outcomes'];

/** Why a request to a pool was sent where it was. */
export const pickReasons: Readonly<Record<PickOutcome, string>> = pickWords.en;

/** `3 requests: 10.0.0.1:8000, chosen by the picker` */
export const pickLine = (outcome: PickOutcome, endpoint: string | null, requests: number): string =>
  `${counted(requests, 'request')}: ${endpoint === null ? '' : `${endpoint}, `}${pickReasons[outcome]}`;
