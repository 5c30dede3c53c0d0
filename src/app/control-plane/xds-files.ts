import { type CertificatePaths, Followed, readServing } from '../../cluster/identity/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { CertificateSource } from '../../xds/index.ts';

/** Certificates that are read again when their files change. */
export interface FileCertificates {
  readonly certificates: CertificateSource;
  /** Ends the timer that looks at the files. */
  readonly stop: () => void;
}

/** The serving certificate of files, read again when they change. Throws IdentityError when they cannot be used. */
export function servingFromFiles(paths: CertificatePaths, log: Logger): FileCertificates {
  const serving = followed(() => readServing(paths), log);
  return {
    certificates: {
      get current() {
        return serving.current;
      },
      follow: (listener) => serving.follow(listener),
    },
    stop: serving.start(),
  };
}

/** A value out of files, which is read again when it changes there. */
export function followed<T>(read: () => T, log: Logger): Followed<T> {
  const value = new Followed({
    read,
    onFailure: ({ message }) => log.warn(`${message}; what was read before stays in use`),
  });
  value.follow(() => log.info('certificates read again: they changed'));
  return value;
}
