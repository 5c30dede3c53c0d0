const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
let isListening = false;

/** A bench that is ended by a signal exits as one that fails does, so that what it started ends with it. Not before a `spawnSync`, during which no signal would be heard. */
export function endBySignals(): void {
  if (isListening) return;
  isListening = true;
  // Not `once`: a death signal comes for each thread of the parent, and must not end this process before its children are.
  for (const [signal, number] of Object.entries(signals)) process.on(signal, () => process.exit(128 + number));
}
