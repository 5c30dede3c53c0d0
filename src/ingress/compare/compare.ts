import { type AskedRequest, requestText } from './asked-request.ts';
import { type Difference, differencesOf } from './differences.ts';
import { explain, type RequestFacts } from './explanations.ts';
import type { SeenAnswer } from './seen-answer.ts';

/** Asks one side. Never rejects: no answer is an answer, too. */
export type Ask = (request: AskedRequest) => Promise<SeenAnswer>;

/** A difference with what is known of it. */
export interface JudgedDifference extends Difference {
  /** The code of the explanation; undefined: there is none. */
  readonly code?: string;
}

export interface ComparedRequest {
  readonly request: AskedRequest;
  readonly from: SeenAnswer;
  readonly to: SeenAnswer;
  readonly differences: readonly JudgedDifference[];
}

export interface Comparison {
  readonly asked: number;
  readonly same: number;
  /** Neither side answered, so nothing was compared. */
  readonly unanswered: number;
  /** Those that differ. */
  readonly different: readonly ComparedRequest[];
  /** Requests by the reason why they were not sent. */
  readonly notSent: Readonly<Record<string, number>>;
}

export const isUnexplained = ({ differences }: ComparedRequest): boolean =>
  differences.some(({ code }) => code === undefined);

export interface Sides {
  readonly from: Ask;
  readonly to: Ask;
  readonly factsOf: (request: AskedRequest) => RequestFacts;
}

/** Both sides' answers, compared. */
export async function compareRequest(request: AskedRequest, sides: Sides): Promise<ComparedRequest> {
  const [from, to] = await Promise.all([sides.from(request), sides.to(request)]);
  const facts = sides.factsOf(request);
  const differences = differencesOf(from, to).map((difference) => {
    const code = explain(difference, { request, from, to, facts })?.code;
    return { ...difference, ...(code !== undefined && { code }) };
  });
  return { request, from, to, differences };
}

/** What an unexplained difference is of: those of one kind are alike. */
export const kindOf = ({ differences }: ComparedRequest): string =>
  differences.map(({ what, from, to }) => (what === 'status' ? `${what} ${from} ${to}` : what)).join(', ');

/** For reports: `GET http://shop.test/a`. */
export const nameOf = ({ request }: ComparedRequest): string => requestText(request);
