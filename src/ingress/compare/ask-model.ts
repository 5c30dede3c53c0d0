import type { IngressNginxModel } from '../model/model.ts';
import type { AskedRequest } from './asked-request.ts';
import { comparedHeaders, type SeenAnswer } from './seen-answer.ts';

/** What ingress-nginx does by the model. Cookies and bodies are the backend's and not known. */
export function askModel(model: IngressNginxModel, request: AskedRequest): SeenAnswer {
  const answer = model.answer(request);
  const { status, location, forwarded, reason, open, headers } = answer;
  return {
    status,
    reason,
    ...(location !== undefined && { location }),
    headers: Object.fromEntries(
      comparedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
    ...(forwarded && {
      backends: Object.fromEntries(
        forwarded.backends.map(({ namespace, service, port, share }) => [`${namespace}/${service}:${port}`, share]),
      ),
      ...(forwarded.target !== undefined && { target: forwarded.target }),
    }),
    open,
  };
}
