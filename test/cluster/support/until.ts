/** Asks until the answer is neither undefined nor false; what the cluster answers in between, errors included, is not yet the end. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 60_000,
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
