interface KeyPair {
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}
type Context = { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void };

/** Reports that a key of a section is wrong or missing. `message` ends "expected …". */
export const rejectKey = (context: Context, key: string, message: string): void =>
  context.addIssue({ code: 'custom', path: [key], message });

/** Rejects a certificate without its private key, and a key without its certificate. */
export function checkKeyPair({ certFile, keyFile }: KeyPair, context: Context): void {
  if (certFile !== undefined && keyFile === undefined)
    rejectKey(context, 'keyFile', 'the private key of certFile beside it');
  if (certFile === undefined && keyFile !== undefined)
    rejectKey(context, 'certFile', 'the certificate of keyFile beside it');
}
