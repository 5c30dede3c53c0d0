import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';

const parts = ['ca', 'cert', 'key', 'pfx', 'passphrase'] as const;

/**
 * What connections to one server share: certificates and keys, read by OpenSSL once. Without it each connection reads them again, and a
 * start opens one for each watch.
 */
export class SharedSecureContext {
  #texts: readonly string[] = [];
  #context: SecureContext | undefined;

  /** A new one only when a certificate or key differs from those of the call before, as after a rotation. */
  of(options: SecureContextOptions): SecureContext {
    const texts = parts.map((part) => String(options[part] ?? ''));
    if (this.#context && texts.every((text, at) => text === this.#texts[at])) return this.#context;
    this.#texts = texts;
    this.#context = createSecureContext(options);
    return this.#context;
  }
}
