/**
 * Ends the process as soon as there is nothing left to do. Left to itself, Node (24.21) cleans up first, and that was seen to spin
 * for ever over a request that was never finished (`Environment::CleanupHandles`).
 */
export function forceExit(): void {
  process.once('beforeExit', () => process.exit());
}
