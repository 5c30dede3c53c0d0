/**
 * In place of gaxios, with which the operator's framework writes status and finalizers. Ours writes with KubeClient, whose errors can be
 * told apart. The real one brings a deprecated module of Node, which says so on stderr at every start.
 */
const request = (): never => {
  throw new Error('the framework writes nothing in this bundle: see scripts/bundle/framework-requests.ts');
};

export const instance = { request };
