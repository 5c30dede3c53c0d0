/** For what takes a second on a machine with nothing else to do: two cores that are shared and busy take a hundred times that. */
const deadlineMs = 240_000;
const firstPollMs = 5;
/** What is not there soon is asked for less often: asking takes CPU time from those who are asked. */
const lastPollMs = 50;
const pollGrowth = 1.25;

/**
 * Asks again after some milliseconds until the answer is neither undefined nor false: for what happens in other processes,
 * which cannot be awaited. An error counts as no answer yet, and is the cause of the one that is thrown at the deadline.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = deadlineMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let cause: unknown;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(lastPollMs, pollMs * pollGrowth)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s in vain for ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The same for one value that changes: asks until it fits, and reports the last one seen when it does not come to that. */
export async function untilFits<T>(what: string, look: () => Promise<T> | T, fits: (value: T) => boolean): Promise<T> {
  let last: unknown = 'nothing';
  const fitting = async (): Promise<{ readonly value: T } | false> => {
    const value = await look();
    last = value;
    return fits(value) && { value };
  };
  try {
    return (await until(what, fitting)).value;
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${message}; last seen: ${JSON.stringify(last)}${cause ? `, then ${cause}` : ''}`, { cause });
  }
}
