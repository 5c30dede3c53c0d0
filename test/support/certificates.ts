import { issueCertificate } from '../../scripts/example/certificate.ts';

export interface TestCertificate {
  /** PEM */
  readonly certificate: string;
  /** PEM */
  readonly key: string;
}

export const issue = async (...hostnames: readonly string[]): Promise<TestCertificate> => {
  const { certificatePem, keyPem } = await issueCertificate(hostnames);
  return { certificate: certificatePem, key: keyPem };
};

/** Two certificates with different keys. */
export const testCertificates: readonly [TestCertificate, TestCertificate] = [
  await issue('a.example.com'),
  await issue('b.example.com'),
];
