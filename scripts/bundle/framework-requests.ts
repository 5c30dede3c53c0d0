/**
 * Replaces gaxios, with which the operator's framework writes status and finalizers. Gatewright writes with KubeClient instead, whose
 * errors have types. The real gaxios loads a deprecated module of Node, which warns on stderr at every start.
 */
const request = (): never => {
  throw new Error('the framework writes nothing in this bundle: see scripts/bundle/framework-requests.ts');
};

export const instance = { request };
