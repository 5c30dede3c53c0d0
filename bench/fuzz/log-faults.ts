/** Lines of a log that only a bug of ours writes: a stack, an event that could not be taken, a build that failed, or what proxies reject. */
export const logFaults = (log: string): string[] => [
  ...new Set(
    log
      .split('\n')
      .filter((line) => bugs.test(line) && !known.test(line))
      .map((line) => `log: ${line.slice(0, 1_000)}`),
  ),
];

const bugs =
  /failed to apply a watch event|snapshot build failed|unhandled|uncaught|TypeError|RangeError|\\n {4}at |rejected (?:what|the|a)|NACK/i;

/**
 * An Envoy that is ended before it has begun cannot be asked to drain, which is said with its stack. A port that goes from one Gateway to
 * another is still open in the former's Envoy for a moment; it is tried again. Proxies of a namespace that is deleted cannot be made there.
 */
const known =
  /healthcheck\/fail|cannot bind '[^']*': Address already in use|namespaces \\"[^"]*\\" not found|it is being terminated/;
