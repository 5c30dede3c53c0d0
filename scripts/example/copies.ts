import type { ExampleRequest } from './example.ts';

const deadlineMs = 5000;

/** What a request's mirrors did not get; empty when all came. Copies travel beside the request, so one may come after its answer. */
export async function missingCopies(
  { expect: { copies = [] }, repeat = 1 }: ExampleRequest,
  before: ReadonlyMap<string, number>,
  received: ReadonlyMap<string, number>,
): Promise<string[]> {
  const deadline = Date.now() + deadlineMs;
  const missing = () => copies.filter((name) => (received.get(name) ?? 0) < (before.get(name) ?? 0) + repeat);
  while (missing().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  return missing().map((name) => `${name} got no copy`);
}
