import { computed, effect, signal } from '@preact/signals';
import {
  ApiError,
  apiUrl,
  asksToken,
  type Capabilities,
  followEvents,
  forgetAnswers,
  get,
  isSeen,
  silentMs,
  token,
  type Verified,
} from '../api/index.ts';

/** Who uses the page, and what works. Undefined until the API has said so. */
export const who = signal<Verified | undefined>(undefined);
export const capabilities = signal<Capabilities | undefined>(undefined);

/** Whether this page may change settings: the token may, and the configuration lets the page. */
export const mayChange = computed(() => who.value?.readOnly === false && capabilities.value?.pageWrites === true);

/** Whether this page may change objects: settings, and the control plane can. */
export const mayWrite = computed(() => mayChange.value && capabilities.value?.writes === true);

const everyMs = 60_000;
let again: ReturnType<typeof setTimeout> | undefined;

/** Looks who the user is, at the start, with each other token, soon after a question without an answer, and now and then; follows the events while somebody may read. */
export function startSession(): void {
  effect(() => {
    void token.value;
    forgetAnswers();
    void look();
  });
  setInterval(lookIfSeen, everyMs);
  void followEvents(new AbortController().signal);
}

function lookIfSeen(): void {
  if (isSeen.peek()) void look();
}

async function look(): Promise<void> {
  try {
    who.value = await get<Verified>(apiUrl('/v1/auth/verify'));
    capabilities.value = await get<Capabilities>(apiUrl('/v1/dashboard/capabilities'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (asksToken.peek() !== 'no') who.value = undefined;
    // One at a time, however many looks have no answer.
    clearTimeout(again);
    if (error.status === 0) again = setTimeout(lookIfSeen, silentMs);
  }
}
