/** How long an equal line is held back. */
const quietMs = 60_000;
/** The most different lines that are kept apart; any beyond are not logged. */
const maxLines = 256;

/** Lets a line through once a minute, and says how many like it were held back, so that rejections fill no disk. */
export class RejectionLog {
  readonly #lines = new Map<string, { readonly sinceMs: number; held: number }>();

  /** How many equal lines were held back since the last one was let through; undefined: hold this one back too. */
  admit(line: string, nowMs: number): number | undefined {
    const known = this.#lines.get(line);
    if (known !== undefined && nowMs - known.sinceMs < quietMs) {
      known.held += 1;
      return undefined;
    }
    if (known === undefined && !this.#hasRoom(nowMs)) return undefined;
    this.#lines.set(line, { sinceMs: nowMs, held: 0 });
    return known?.held ?? 0;
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#lines.size < maxLines) return true;
    for (const [line, { sinceMs }] of this.#lines) if (nowMs - sinceMs >= quietMs) this.#lines.delete(line);
    return this.#lines.size < maxLines;
  }
}
