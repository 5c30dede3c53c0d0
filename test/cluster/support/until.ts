/** For what takes a second on a machine with nothing else to do: two cores that are shared and busy take a hundred times that. */
export const deadlineMs = 240_000;

/** Asks until the answer is neither undefined nor false; what the cluster answers in between, errors included, is not yet the end. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = deadlineMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
