/** What a stable error code means and what to do about it. `docs/errors.md` lists the same, and a test holds them together. */
export interface ErrorCode {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}
