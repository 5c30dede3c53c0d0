/** Copies `length` characters of the former text from `from`, and puts `insert` behind them. */
export interface Step {
  readonly from: number;
  readonly length: number;
  readonly insert: string;
}

/** Of the new text, what is looked for in the former one: longer than an endpoint, of which parts are alike. */
const sampleLength = 40;
/** Where the next sample begins, when one was not found. */
const stride = 20;
/** How many characters are looked through in all: some milliseconds. What is not found by then is inserted. */
const mostSearched = 1 << 24;
/** Compared at a time, which V8 does without a look at single characters. */
const block = 4096;

/** Where both texts go on alike: `at` in the former one, `next` in the new one. */
interface Meeting {
  readonly at: number;
  readonly next: number;
  readonly samples: number;
}

/**
 * How to make `after` of `before`: few steps where a few places differ, whatever the length. Not the least number of characters: parts that
 * changed places are inserted.
 */
export function differenceOf(before: string, after: string): Step[] {
  const steps: Step[] = [];
  let searched = 0;
  let [from, to] = [0, 0];
  while (to < after.length) {
    const length = commonLength(before, from, after, to);
    const [begin, end] = [from + length, to + length];
    const reach = before.length - begin + 1;
    const meeting = findMeeting({ before, after }, [begin, end], (mostSearched - searched) / reach);
    steps.push({ from, length, insert: after.slice(end, meeting.next) });
    searched += meeting.samples * reach;
    [from, to] = [meeting.at, meeting.next];
  }
  return steps;
}

function findMeeting(
  { before, after }: { readonly before: string; readonly after: string },
  [from, to]: readonly [number, number],
  mostSamples: number,
): Meeting {
  for (let samples = 1, next = to; samples <= mostSamples && next + sampleLength <= after.length; samples += 1) {
    const at = before.indexOf(after.slice(next, next + sampleLength), from);
    if (at >= 0) {
      const back = commonBehind(before.slice(from, at), after.slice(to, next));
      return { at: at - back, next: next - back, samples };
    }
    next += stride;
  }
  return { at: before.length, next: after.length, samples: 0 };
}

function commonLength(before: string, from: number, after: string, to: number): number {
  const most = Math.min(before.length - from, after.length - to);
  let length = 0;
  while (length + block <= most && isSame(length)) length += block;
  while (length < most && before.charCodeAt(from + length) === after.charCodeAt(to + length)) length += 1;
  return length;

  function isSame(at: number): boolean {
    return before.slice(from + at, from + at + block) === after.slice(to + at, to + at + block);
  }
}

/** How many characters at their ends are the same. */
function commonBehind(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before.at(-1 - length) === after.at(-1 - length)) length += 1;
  return length;
}
