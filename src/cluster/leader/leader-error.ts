/** Leader election cannot work as configured; the message is one line that says what to do. */
export class LeaderElectionError extends Error {
  override readonly name = 'LeaderElectionError';
  readonly code: 'lease_conflict' | 'lease_forbidden' | 'lease_namespace_missing';

  constructor(code: LeaderElectionError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
