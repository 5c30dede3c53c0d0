const stars = '********';

/** What is shown of a secret: its last four characters, or nothing of one with seven or fewer. `''` for none. */
export function mask(secret: string): string {
  if (secret === '') return '';
  return secret.length <= 7 ? stars : `${stars}${secret.slice(-4)}`;
}

/** Whether a text that a client sent is what it was shown, so that it means the secret that is kept. */
export const isMask = (text: string): boolean => text.startsWith('****');
