import { HttpError } from '../http/index.ts';

/** The 401 for a token that is missing or wrong. `kubernetes`: tokens of the cluster are taken too, which clients read from the challenge. */
export const unauthorized = (message: string, kubernetes: boolean): HttpError =>
  new HttpError('unauthorized', message, {
    // By the realm a client knows that it may send the token of a kubeconfig (src/cli/kit/cluster-credential.ts).
    headers: { 'WWW-Authenticate': kubernetes ? 'Bearer realm="kubernetes"' : 'Bearer' },
  });
