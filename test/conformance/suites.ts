import { type ConformancePage, gatewayApiPage, inferencePage } from './page.ts';

/** A suite of upstream's, and what is read and written for it. */
export interface Suite {
  /** What it is run by in the testbed: a command of test/cluster/cluster. */
  readonly command: 'conformance' | 'inference';
  /** What it needs of the testbed beside the rest: options of `cluster build`. */
  readonly build: readonly string[];
  /** Its binary in the testbed's cache, for other clusters. */
  readonly program: string;
  readonly timeout: string;
  /** Its folder in test/conformance, with known-failures.txt and subset.txt. */
  readonly lists: string;
  /** Its folder in reports. */
  readonly reports: string;
  readonly flags: readonly string[];
  /** A folder of the testbed's cache with the definitions that it is for, where these are not those of our own installation. */
  readonly definitions?: string;
  /** A part of the configuration that the suite needs. */
  readonly config?: string;
  /** The report and a page about it in docs. */
  readonly published: { readonly report: string; readonly page: string; readonly pageOf: ConformancePage };
}

/** The profiles whose core features we have; a profile more means its core tests more. */
const profiles = 'GATEWAY-HTTP,GATEWAY-GRPC,GATEWAY-TLS,GATEWAY-TCP,GATEWAY-UDP';

export const gatewayApi: Suite = {
  command: 'conformance',
  build: [],
  program: 'conformance.test',
  timeout: '90m',
  lists: '.',
  reports: 'conformance',
  flags: ['-conformance-profiles', profiles],
  published: { report: 'conformance-report.yaml', page: 'conformance.md', pageOf: gatewayApiPage },
};

/** Its features are fixed in the suite. Its picker takes bodies in one message, so it is asked in the mode Auto, and the report says so. */
export const inference: Suite = {
  command: 'inference',
  build: ['--inference'],
  program: 'inference.test',
  timeout: '60m',
  lists: 'inference',
  reports: 'conformance-inference',
  flags: ['-mode', 'endpoint-picker-mode-auto'],
  definitions: 'crds-inference',
  config: 'backends: {endpointPickerMode: Auto}',
  published: { report: 'inference-conformance-report.yaml', page: 'inference-conformance.md', pageOf: inferencePage },
};
